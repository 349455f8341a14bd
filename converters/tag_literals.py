"""Tags cells that are neither a Python literal nor JSON, and that still have exactly one reading.

NumPy's scalars and arrays are read with the grammar of Python: the text is parsed, and a walk over the few nodes that
are allowed makes plain values of them. What Python cannot parse (dicts without commas between them, a bare apostrophe
in a text, typographic quotes) is first rewritten by a small grammar of flat dicts. Nothing is evaluated or called, the
depth of the walk is bounded, and each character is looked at a bounded number of times.
"""

import ast
import json
import re
import warnings
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sharedtask.converters.tag_quotes import respelled
from sharedtask.converters.tags_without_keys import TagForm, tag_in, texts_alone
from sharedtask.schemas.column_names import fold

FENCE = "a code fence"
NAME = "a name before the list"
AROUND = "a dict around the list"
WITHIN = "a list within the list"
QUOTED = "quotes around what should be a list or a dict"
SEQUENCE = "tuples or lists in place of dicts"

WRONG = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
"""What the parsers raise on a text that is not theirs."""

DEEPEST = 8  # nodes below one another: an array of a list of dicts of scalars needs four
_BLANK = " \t\r\n\f"
_FENCE = re.compile(r"(`{1,3}|~{3})(?:(?i:python3?|py|json[l5]?|csv|te?xt|plaintext)(?=[\s\[{(]))?")
_NAME = re.compile(r"""["']?(\w{1,40})["']?[ \t]*+[=:](?!=)""")
_INTEGER = re.compile(r"(?:np\.|numpy\.)?u?int(?:8|16|32|64)|(?:np|numpy)\.(?:u?int_|u?intc|u?intp|u?long(?:long)?)")
_FLOAT = re.compile(r"(?:np\.|numpy\.)?float(?:16|32|64|128)|(?:np|numpy)\.longdouble")
_TEXT = re.compile(r"(?:np\.|numpy\.)?str_")
_TRUTH = re.compile(r"(?:np\.|numpy\.)?bool_|(?:np|numpy)\.bool")
_ARRAY = re.compile(r"(?:np\.|numpy\.)?array|(?:torch\.)?tensor")
_WORDS = {f"{module}.{word}_": word == "True" for module in ("np", "numpy") for word in ("True", "False")}
_ABOUT_AN_ARRAY = {"dtype", "device"}


class Mended(NamedTuple):
    """What a cell says: a list of tags or one tag, whether JSON was read, and what is odd about the writing."""

    value: object
    by_json: bool
    forms: tuple[str, ...]


def mended(cell: str, keys: Collection[str], tag: TagForm) -> Mended | None:
    """The one reading of a cell that is not a plain list of dicts; None where there is none, or more than one.

    `keys` are the folded keys of tags that are known.
    """
    reading = _Reading(tag)
    text = reading.unwrapped(cell.strip(_BLANK))
    try:
        value = reading.value_of(text, keys)
        tags = reading.tags_of(value)
    except WRONG:
        return None
    return Mended(tags, reading.by_json, tuple(reading.forms)) if reading.forms else None


class RepeatedKeyError(ValueError):
    """A key appears twice in one dict with different values, of which every reader keeps the last."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def parsed(text: str) -> ast.Expression:
    """The syntax tree of a Python expression; raises whatever the parser raises, and RepeatedKeyError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an unknown escape such as \\d
        tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            _unrepeated([(key, ast.dump(value)) for key, value in zip(keys, node.values, strict=True) if key])
    return tree


def json_value(text: str) -> object:
    """The value of JSON text. Raises ValueError, for NaN and Infinity, too, and RepeatedKeyError."""
    return json.loads(text, parse_constant=_refuse, object_pairs_hook=_unrepeated)


def _unrepeated(pairs: Sequence[tuple[Hashable, object]]) -> dict[Hashable, object]:
    found: dict[Hashable, object] = {}
    for key, value in pairs:
        if found.setdefault(key, value) != value:
            raise RepeatedKeyError(str(key))
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@dataclass(slots=True)
class _Reading:
    """One cell being read; `forms` are the ways in which it is odd, in the order in which they were met."""

    tag: TagForm
    forms: dict[str, None] = field(default_factory=dict)
    by_json: bool = False

    def note(self, form: str) -> None:
        self.forms[form] = None

    def unwrapped(self, text: str) -> str:
        """The text without the name of the column before it and the code fence around it."""
        for _ in range(2):
            name = _NAME.match(text)
            if name and fold(name[1]) in self.tag.lists:
                self.note(NAME)
                text = text[name.end() :].strip(_BLANK)
            fence = _FENCE.match(text)
            if fence and text.endswith(fence[1]) and len(text) >= fence.end() + len(fence[1]):
                self.note(FENCE)
                text = text[fence.end() : -len(fence[1])].strip(_BLANK)
        return text

    def value_of(self, text: str, keys: Collection[str] = ()) -> object:
        """The value of a text as JSON, as Python, or as the grammar of flat dicts with the known `keys` knows it."""
        try:
            value = json_value(text)
        except (ValueError, RecursionError):
            pass
        else:
            self.by_json = True
            return value
        try:
            tree = parsed(text)
        except WRONG:
            if not keys:
                raise
            plain = respelled(text, keys)
            for form in plain.forms:
                self.note(form)
            tree = parsed(plain.text)
        return self.node(tree.body, DEEPEST)

    def node(self, node: ast.expr, depth: int) -> object:
        """The plain value of a node. Raises ValueError for a node that is not allowed, or too deep."""
        if depth == 0:
            raise ValueError("too deep")
        match node:
            case ast.Constant(value=value) if value is None or isinstance(value, str | bool | int | float):
                return value
            case ast.UnaryOp(
                op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as number)
            ) if _is_number(number):
                return -number if isinstance(sign, ast.USub) else number
            case ast.List(elts=parts):
                return [self.node(part, depth - 1) for part in parts]
            case ast.Tuple(elts=parts):
                return tuple(self.node(part, depth - 1) for part in parts)
            case ast.Dict(keys=keys, values=values):
                return {
                    self.key(key, depth): self.node(part, depth - 1) for key, part in zip(keys, values, strict=True)
                }
            case ast.Attribute() if (word := _dotted(node)) in _WORDS:
                self.note(word)
                return _WORDS[word]
            case ast.Call():
                return self.call(node, depth)
        raise ValueError("not a literal")

    def key(self, node: ast.expr | None, depth: int) -> str:
        key = None if node is None else self.node(node, depth - 1)
        if not isinstance(key, str):
            raise ValueError("not a key")
        return key

    def call(self, node: ast.Call, depth: int) -> object:
        """The value that NumPy prints as a call: a scalar, or the items of an array."""
        name = _dotted(node.func)
        if len(node.args) != 1:
            raise ValueError("not a scalar or an array")
        is_array = _ARRAY.fullmatch(name) is not None
        if any(not is_array or word.arg not in _ABOUT_AN_ARRAY or not _is_plain(word.value) for word in node.keywords):
            raise ValueError("not an array")
        value = self.node(node.args[0], depth - 1)
        fits = (
            (is_array and value is not None and not isinstance(value, str | bool))
            or (_INTEGER.fullmatch(name) and _is_number(value) and isinstance(value, int))
            or (_FLOAT.fullmatch(name) and _is_number(value))
            or (_TEXT.fullmatch(name) and isinstance(value, str))
            or (_TRUTH.fullmatch(name) and isinstance(value, bool))
        )
        if not fits:
            raise ValueError("not a scalar or an array")
        self.note(f"{name}(…)")
        return value

    def tags_of(self, value: object) -> object:
        """The list of tags, or the one tag, that a value holds. Raises ValueError where that is not certain."""
        if isinstance(value, str):
            self.note(QUOTED)
            value = self.value_of(value.strip(_BLANK))
        is_around = isinstance(value, dict) and len(value) == 1 and fold(next(iter(value))) in self.tag.lists
        if is_around:
            self.note(AROUND)
            (value,) = value.values()  # type: ignore[attr-defined]
        if (alone := texts_alone(value, self.tag)) is not None:
            self.note(alone.form)
            return alone.tags
        if isinstance(value, dict) and not is_around:
            return value
        if not isinstance(value, list | tuple):
            raise ValueError("not a list")
        if value and not any(isinstance(item, list | tuple | dict) for item in value) and not _are_texts(value):
            return [self.tag_of(value)]
        inner = value[0] if len(value) == 1 else None
        if isinstance(inner, list | tuple) and inner and all(isinstance(tag, dict | list | tuple) for tag in inner):
            self.note(WITHIN)
            value = inner
        return [self.tag_of(item) for item in value]

    def tag_of(self, item: object) -> dict[str, object]:
        if isinstance(item, str):
            self.note(QUOTED)
            item = self.value_of(item.strip(_BLANK))
        if isinstance(item, dict):
            return item
        if not isinstance(item, list | tuple):
            raise ValueError("not a tag")
        self.note(SEQUENCE)
        return tag_in(item, self.tag)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(value: Sequence[object]) -> bool:
    return all(isinstance(item, str) for item in value)


def _is_plain(node: ast.expr) -> bool:
    """Whether a node is a name or a text: what is said about an array."""
    return bool(_dotted(node)) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _dotted(node: ast.expr) -> str:
    """The name that a node is, with that of its module; empty where it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    is_member = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    return f"{node.value.id}.{node.attr}" if is_member else ""  # type: ignore[attr-defined]
