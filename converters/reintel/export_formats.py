"""The forms in which ReINTEL files are written."""

from sharedtask.converters.export_format import ExportFormat
from sharedtask.converters.reintel import write

_CSV = (".csv",)

EXPORT_FORMATS = (
    ExportFormat("reintel/posts", "official", "csv", _CSV, write.posts, "CSV as distributed"),
    ExportFormat("reintel/annotations", "official", "csv", _CSV, write.annotations, "a vote a row"),
    ExportFormat("reintel/labels", "official", "csv", _CSV, write.labels, "id, label"),
    ExportFormat("reintel/recheck", "official", "csv", _CSV, write.rechecks, "id, recheck"),
    ExportFormat("reintel/run", "official", "csv", _CSV, write.results, "id, probability, no header", header=False),
)
