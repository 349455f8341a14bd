"""The part of the SARIF 2.1.0 schema that the reports use: as there, no object may have other properties than its own."""

from typing import Any

Shape = dict[str, Any]


def _object(*required: str, **properties: Shape) -> Shape:
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


def _list(items: Shape, *, unique: bool = False) -> Shape:
    return {"type": "array", "items": items, "uniqueItems": unique}


TEXT: Shape = {"type": "string"}
BAG: Shape = {"type": "object", "properties": {"tags": _list(TEXT, unique=True)}}
LEVEL: Shape = {"enum": ["none", "note", "warning", "error"]}
COUNT: Shape = {"type": "integer", "minimum": -1}
MESSAGE = _object("text", text=TEXT, markdown=TEXT)  # a message may have an id in place of the text; ours have none
ADDRESS = _object(uri={"type": "string", "format": "uri-reference"}, uriBaseId=TEXT, index=COUNT)
REGION = _object("startLine", startLine={"type": "integer", "minimum": 1})  # may be given by offsets as well
PLACE = _object("artifactLocation", artifactLocation=ADDRESS, region=REGION)
RULE = _object(
    "id",
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    fullDescription=MESSAGE,
    help=MESSAGE,
    defaultConfiguration=_object(level=LEVEL),
    properties=BAG,
)
RESULT = _object(
    "message",
    ruleId=TEXT,
    ruleIndex=COUNT,
    level=LEVEL,
    message=MESSAGE,
    locations=_list(_object(physicalLocation=PLACE)),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    properties=BAG,
)
RUN = _object(
    "tool",
    tool=_object("driver", driver=_object("name", name=TEXT, version=TEXT, rules=_list(RULE, unique=True))),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=_list(
        _object(
            "executionSuccessful",
            executionSuccessful={"type": "boolean"},
            toolExecutionNotifications=_list(_object("message", level=LEVEL, message=MESSAGE)),
        )
    ),
    artifacts=_list(
        _object(location=ADDRESS, length=COUNT, hashes={"type": "object", "additionalProperties": TEXT}), unique=True
    ),
    results=_list(RESULT),
    properties=BAG,
)
SARIF: Shape = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    **_object("version", "runs", **{"$schema": TEXT, "version": {"enum": ["2.1.0"]}, "runs": _list(RUN)}),
}
