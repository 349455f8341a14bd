"""The forms in which ReINTEL files are written."""

from sharedtask.converters.reintel import write
from sharedtask.converters.release import Release

_CSV = (".csv",)

RELEASES = (
    Release("reintel/posts", "official", "csv", _CSV, write.posts, "CSV as distributed"),
    Release("reintel/annotations", "official", "csv", _CSV, write.annotations, "a vote a row"),
    Release("reintel/labels", "official", "csv", _CSV, write.labels, "id, label"),
    Release("reintel/recheck", "official", "csv", _CSV, write.rechecks, "id, recheck"),
    Release("reintel/run", "official", "csv", _CSV, write.results, "id, probability, no header", header=False),
)
