"""The forms in which CHEERS files are written."""

from sharedtask.converters.cheers import write
from sharedtask.converters.export_format import ExportFormat

_CSV = (".csv",)

EXPORT_FORMATS = (
    ExportFormat("cheers/sentences", "official", "csv", _CSV, write.sentences, "CSV as released"),
    ExportFormat("cheers/documents", "official", "csv", _CSV, write.documents, "CSV as released"),
    ExportFormat(
        "cheers/sectors",
        "official",
        "json",
        (".json",),
        write.sectors,
        "one JSON object, names to ids, four spaces",
        final_newline=False,
    ),
    ExportFormat("cheers/run", "official", "csv", _CSV, write.run, "the run file of the page"),
)
