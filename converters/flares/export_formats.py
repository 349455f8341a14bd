"""The forms in which FLARES files are written."""

from sharedtask.converters import bio, brat
from sharedtask.converters.export_format import ExportFormat
from sharedtask.converters.flares import write
from sharedtask.schemas.spans import TEXT

_LINES = (".json", ".jsonl")

EXPORT_FORMATS = (
    ExportFormat("flares/subtask1", "official", "jsonl", _LINES, write.subtask1_lines, "JSON Lines as released"),
    ExportFormat(
        "flares/subtask1", "official", "csv", (".csv",), write.subtask1_csv, "Id, Text, Tags; five keys a tag"
    ),
    ExportFormat(
        "flares/subtask1",
        "page",
        "csv",
        (".csv",),
        write.subtask1_page,
        "ID, TEXT, TAGS as on the draft page: start, end, tag, and What for WHAT; no reliability",
    ),
    ExportFormat(
        "flares/subtask1",
        "brat",
        "brat",
        (".ann",),
        brat.annotations,
        "brat standoff: one document with a text a line, in a .txt beside the .ann",
        beside=(".txt", brat.texts),
        unfit=brat.unfit,
        reads=(TEXT,),
    ),
    ExportFormat(
        "flares/subtask1",
        "bio",
        "bio",
        (".bio", ".conll"),
        bio.blocks,
        f"a token a line with its BIO tag; tokenisation {bio.TOKENISATION}",
        unfit=bio.unfit,
        reads=(TEXT,),
    ),
    ExportFormat("flares/subtask2", "official", "jsonl", _LINES, write.subtask2_lines, "JSON Lines as released"),
    ExportFormat("flares/subtask1-run", "official", "csv", (".csv",), write.subtask1_run, "Id, Tags; three keys a tag"),
    ExportFormat("flares/subtask2-run", "official", "csv", (".csv",), write.subtask2_run, "Id, Reliability_Label"),
)
