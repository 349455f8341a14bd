"""The forms in which CHEERS files are written."""

from sharedtask.converters.cheers import write
from sharedtask.converters.release import Release

_CSV = (".csv",)

RELEASES = (
    Release("cheers/sentences", "official", "csv", _CSV, write.sentences, "CSV as released"),
    Release("cheers/documents", "official", "csv", _CSV, write.documents, "CSV as released"),
    Release(
        "cheers/sectors",
        "official",
        "json",
        (".json",),
        write.sectors,
        "one JSON object, names to ids, four spaces",
        final_newline=False,
    ),
    Release("cheers/run", "official", "csv", _CSV, write.run, "the run file of the page"),
)
