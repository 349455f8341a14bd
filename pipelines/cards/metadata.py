"""The card for programs.

Croissant JSON-LD with the checksums of all files and the record sets of those that can be read.
"""

import json
from collections.abc import Mapping, Sequence

from sharedtask.pipelines.cards.readme import About
from sharedtask.pipelines.cards.statistics import FileFacts
from sharedtask.pipelines.render.dump import dump
from sharedtask.schemas.exports.croissant import CONFORMS_TO, CONTEXT, record_set
from sharedtask.schemas.kind import Column

KEYWORD = "sharedtask"
FORMATS = {
    "csv": "text/csv",
    "jsonl": "application/jsonlines",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
UNKNOWN_FORMAT = "application/octet-stream"
WITH_RECORDS = ("csv", "jsonl", "parquet")


def metadata(about: About, files: Sequence[FileFacts]) -> str:
    """The Croissant document of a folder."""
    kinds = dict.fromkeys(one.kind.title for one in files if one.kind)
    fields: dict[str, object] = {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": about.name,
        "description": f"{about.name}: {', '.join(kinds) or 'files'}.",
        "conformsTo": CONFORMS_TO,
        "keywords": [KEYWORD, *dict.fromkeys(one.kind.task for one in files if one.kind)],
        "license": about.licence,
        "url": about.url,
        "inLanguage": list(about.languages),
        "distribution": [_file_object(one) for one in files],
        "recordSet": [_records(one) for one in files if _is_table(one)],
    }
    return dump({key: value for key, value in fields.items() if value}, indented=True)


def is_ours(text: str) -> bool:
    """Whether a document is one of `metadata`."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return False
    keywords = fields.get("keywords") if isinstance(fields, dict) else None
    return isinstance(keywords, list) and KEYWORD in keywords


def _identifier(one: FileFacts) -> str:
    return one.path.as_posix()


def _file_object(one: FileFacts) -> Mapping[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": _identifier(one),
        "name": one.path.name,
        "contentUrl": one.path.as_posix(),
        "contentSize": f"{one.bytes} B",
        "encodingFormat": FORMATS.get(one.container, UNKNOWN_FORMAT),
        "sha256": one.sha256,
    }


def _is_table(one: FileFacts) -> bool:
    """Whether the fields of a file can be named: it has a header or keys, and is not packed."""
    return one.kind is not None and one.container in WITH_RECORDS and (one.kind.header or one.container != "csv")


def _records(one: FileFacts) -> Mapping[str, object]:
    assert one.kind is not None  # noqa: S101 - the caller has looked
    names = one.columns

    def place(column: Column) -> Mapping[str, object]:
        return {"fileObject": {"@id": _identifier(one)}, "extract": {"column": names[column.name]}}

    return record_set(one.kind, one.path.as_posix() + "-records", names, place)
