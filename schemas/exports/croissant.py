"""A kind of file as a Croissant record set (JSON-LD): alone, or with the file that its fields are taken from."""

from collections.abc import Callable, Mapping

import polars as pl

from sharedtask.schemas.kind import Column, Kind

CONTEXT: Mapping[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
CONFORMS_TO = "http://mlcommons.org/croissant/1.0"

Place = Callable[[Column], Mapping[str, object]]


def record_set(
    kind: Kind, identifier: str, columns: Mapping[str, str], place: Place | None = None
) -> dict[str, object]:
    """The record set of a kind; `columns` maps the canonical names of those that are there to the names that they have.

    `place` gives the source of a field. Lists are given as the text in the file.
    """
    fields = []
    for column in kind.columns:
        if column.name not in columns:
            continue
        field: dict[str, object] = {
            "@type": "cr:Field",
            "@id": f"{identifier}/{columns[column.name]}",
            "name": columns[column.name],
            "description": f"{column.description} In a cell: {column.reading.expected}.",
            "dataType": data_type(column.reading.dtype),
        }
        fields.append(field | ({"source": place(column)} if place else {}))
    records: dict[str, object] = {
        "@type": "cr:RecordSet",
        "@id": identifier,
        "name": identifier,
        "description": kind.description,
        "field": fields,
    }
    keys = [{"@id": f"{identifier}/{columns[name]}"} for name in kind.key if name in columns]
    return records | ({"key": keys[0] if len(keys) == 1 else keys} if keys and len(keys) == len(kind.key) else {})


def data_type(dtype: pl.DataType) -> str:
    """The Croissant type of the cells of a column."""
    if dtype.is_integer() or isinstance(dtype, pl.Datetime):
        return "sc:Integer"
    return {pl.Float64: "sc:Float", pl.Boolean: "sc:Integer"}.get(type(dtype), "sc:Text")


def croissant(kind: Kind) -> dict[str, object]:
    """A Croissant document with the record set of a kind and no file; `card` writes one with files."""
    names = {column.name: column.official for column in kind.official}
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": kind.name.replace("/", "-"),
        "description": f"{kind.title}. {kind.description}",
        "conformsTo": CONFORMS_TO,
        "recordSet": [record_set(kind, kind.name.replace("/", "-"), names)],
    }
