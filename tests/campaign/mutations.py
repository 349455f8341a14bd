"""What happens to files: each mutation takes bytes and a source of chance, and returns other bytes.

They are in families by what the bytes are: any bytes, text, CSV, JSON, TOML. The same chance makes the same bytes.
"""

import json
import re
from collections.abc import Callable, Mapping
from random import Random

from tests.campaign.csv_mutations import OF_CSV
from tests.campaign.odd_values import HOSTILE, LETTERS, NUMBERS, SIGNS, VALUES

Mutation = Callable[[bytes, Random], bytes]


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _slice(data: bytes, random: Random) -> tuple[int, int]:
    at = _place(data, random)
    return at, min(len(data), at + random.choice((1, 1, 2, 5, 20, 100, 1000)))


def _insert(data: bytes, random: Random, what: bytes) -> bytes:
    at = _place(data, random)
    return data[:at] + what + data[at:]


def flip(data: bytes, random: Random) -> bytes:
    """One bit is another."""
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def other_byte(data: bytes, random: Random) -> bytes:
    """One byte is another."""
    at = _place(data, random)
    return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]


def cut_end(data: bytes, random: Random) -> bytes:
    """The end is missing."""
    return data[: _place(data, random)]


def cut_start(data: bytes, random: Random) -> bytes:
    """The start is missing."""
    return data[_place(data, random) :]


def drop(data: bytes, random: Random) -> bytes:
    """Some bytes are missing."""
    at, end = _slice(data, random)
    return data[:at] + data[end:]


def double(data: bytes, random: Random) -> bytes:
    """Some bytes are there twice."""
    at, end = _slice(data, random)
    return data[:end] + data[at:end] * random.choice((1, 1, 2, 50)) + data[end:]


def swap(data: bytes, random: Random) -> bytes:
    """Two blocks have changed places."""
    first, second, third = sorted(_place(data, random) for _ in range(3))
    return data[:first] + data[second:third] + data[first:second] + data[third:]


def zeros(data: bytes, random: Random) -> bytes:
    """Some bytes are NUL, as after a crash of the machine."""
    at, end = _slice(data, random)
    return data[:at] + bytes(end - at) + data[end:]


def twice(data: bytes, random: Random) -> bytes:
    """The file is there twice, one behind the other."""
    return data + data


def empty(data: bytes, random: Random) -> bytes:
    """Nothing is left, or only white space."""
    return random.choice((b"", b"\n", b" ", b"\xef\xbb\xbf", b"\0"))


def sign(data: bytes, random: Random) -> bytes:
    """A sign that means something to a reader is put in, or takes the place of some bytes."""
    at, end = _slice(data, random)
    return data[:at] + random.choice(SIGNS) * random.choice((1, 1, 1, 2, 40)) + data[random.choice((at, end)) :]


def hostile(data: bytes, random: Random) -> bytes:
    """What acts on a terminal, a log, a spreadsheet or a page is put in."""
    return _insert(data, random, random.choice(HOSTILE))


def letter(data: bytes, random: Random) -> bytes:
    """A letter that is seldom thought of is put in."""
    return _insert(data, random, random.choice(LETTERS).encode("utf-8", "surrogatepass"))


def line_ends(data: bytes, random: Random) -> bytes:
    """The ends of all lines, or of some, are others."""
    ends = random.choice(((b"\r\n",), (b"\r",), (b"\r\n", b"\n"), (b"\r", b"\n"), (b"\n\n",), ("\u2028".encode(),)))
    lines = data.split(b"\n")
    return b"".join(line + random.choice(ends) for line in lines[:-1]) + lines[-1]


def line_twice(data: bytes, random: Random) -> bytes:
    """A line is there twice, beside itself or elsewhere."""
    lines = data.split(b"\n")
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return b"\n".join(lines)


def line_gone(data: bytes, random: Random) -> bytes:
    """A line is missing."""
    lines = data.split(b"\n")
    del lines[random.randrange(len(lines))]
    return b"\n".join(lines)


def lines_moved(data: bytes, random: Random) -> bytes:
    """The lines are in another order."""
    lines = data.split(b"\n")
    random.shuffle(lines)
    return b"\n".join(lines)


def blank_lines(data: bytes, random: Random) -> bytes:
    """There are blank lines."""
    blank = random.choice((b"\n", b"\n\n\n", b"   \n", b",,,\n", b"\t\n"))
    return random.choice((data + blank, blank + data, data.replace(b"\n", b"\n" + blank, 1)))


def encoding(data: bytes, random: Random) -> bytes:
    """The text is in another encoding, or was read in a wrong one."""
    text = data.decode("utf-8", "replace")
    name = random.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "cp1258", "utf-7", "utf-8-sig"))
    wrong = data.decode("cp1252", "replace").encode()
    return random.choice((text.encode(name, "replace"), text.encode(name, "replace"), wrong))


def number(data: bytes, random: Random) -> bytes:
    """A number is an odd one."""
    return _replaced(data, random, rb"-?[0-9]+(?:\.[0-9]+)?", random.choice(NUMBERS))


def word(data: bytes, random: Random) -> bytes:
    """A word is another word of the file, or an odd value."""
    words = re.findall(rb"[\w-]+", data)
    return _replaced(data, random, rb"[\w-]+", random.choice([*words[:200], *VALUES]))


def all_numbers(data: bytes, random: Random) -> bytes:
    """All numbers, or about half of them, are moved by the same amount."""
    by, share = random.choice((1, -1, 3, -40, 1000)), random.choice((1.0, 0.5))
    dice = Random(random.random())
    return re.sub(rb"\b[0-9]{1,6}\b", lambda one: b"%d" % (int(one[0]) + by) if dice.random() < share else one[0], data)


def all_of_a_word(data: bytes, random: Random) -> bytes:
    """A word is another one everywhere."""
    words = re.findall(rb"[\w-]+", data)[:400]
    if not words:
        return data
    one = random.choice(words)
    return data.replace(one, random.choice((*VALUES, one.lower(), one.upper(), one + b" ", random.choice(words))))


def quotes(data: bytes, random: Random) -> bytes:
    """Quotes are others, or one of them is missing."""
    to = random.choice((b"'", b"", "”".encode(), b'""', b'\\"', b"`"))
    return data.replace(b'"', to, random.choice((-1, 1, 2))) if b'"' in data else _insert(data, random, b'"')


def long_run(data: bytes, random: Random) -> bytes:
    """One sign is there thousands of times."""
    return _insert(data, random, random.choice((b"a", b",", b'"', b"[", b"{", b" ", b"\n", b"9")) * 20_000)


def _replaced(data: bytes, random: Random, pattern: bytes, by: bytes) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data + by
    one = random.choice(found)
    return data[: one.start()] + by + data[one.end() :]


def json_value(data: bytes, random: Random) -> bytes:
    """A value of JSON is of another type, or nested."""
    values = (b"null", b"true", b"[]", b"{}", b"[[]]", b'""', b'"\\ud800"', b'"\\udc00\\ud800"', b"NaN", b"-Infinity")
    deep = random.choice((b"[", b'{"a":')) * random.choice((50, 3000))
    by = random.choice((*values, *NUMBERS, deep, b'{"Tag_Start":0}', b'"\\u0000\\u001b[31m"'))
    return _replaced(data, random, rb'"[^"\\\n]*"(?!\s*:)|-?[0-9.]+|null|true|false|\[[^\[\]]*\]', by)


def json_key(data: bytes, random: Random) -> bytes:
    """A key of JSON has another name, which may be there already."""
    keys = re.findall(rb'"[^"\\\n]*"(?=\s*:)', data)
    return _replaced(
        data, random, rb'"[^"\\\n]*"(?=\s*:)', random.choice([*keys[:40], b'""', b'"\\u0000"', b"key", b"1"])
    )


def json_shape(data: bytes, random: Random) -> bytes:
    """The records are in another shape: an array, indented, by key, as Python, encoded twice."""
    body = data.strip().replace(b"}\n{", b"},\n{")
    body = body if body.startswith(b"[") else b"[" + body + b"]"
    try:
        records = json.loads(body)
    except (ValueError, RecursionError):
        return random.choice((body, body[1:-1], body + b"\n]", b'{"data":' + body + b"}"))
    shapes = (
        lambda: json.dumps(records, indent=random.choice((1, 4))),
        lambda: json.dumps(json.dumps(records)),
        lambda: repr(records),
        lambda: json.dumps({"data": records}),
        lambda: json.dumps({str(number): one for number, one in enumerate(records)}),
        lambda: "\n".join(map(json.dumps, records)),
        lambda: "\n".join(json.dumps(json.dumps(one)) for one in records),
        lambda: "[" + ",".join(map(json.dumps, records)) + ",]",
        lambda: json.dumps([list(one.values()) if isinstance(one, dict) else one for one in records]),
    )
    try:
        return random.choice(shapes)().encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):  # an integer of more digits than Python writes
        return body


def toml_value(data: bytes, random: Random) -> bytes:
    """A value of TOML is of another type, odd, or nested."""
    deep = random.choice((b"[" * 40 + b"]" * 40, b"[" * 4000 + b"]" * 4000, b"{a=" * 900 + b"1" + b"}" * 900))
    values = (
        b"1",
        b"true",
        b"[]",
        b"{}",
        b'""',
        b"''",
        b"[1]",
        b'["x", 1]',
        b"1e400",
        b"nan",
        b"1979-05-27",
        b'"\\u0000"',
    )
    odd = (b'"./x"', b'"~"', b'"**"', b'"x/"', b'"out"', b'"job.toml"', b'"\\u001b[31m"', deep)
    return _replaced(data, random, rb"(?<==\s)[^\n]+", random.choice((*values, *odd)))


def toml_key(data: bytes, random: Random) -> bytes:
    """A key of TOML is missing, there twice, or another one."""
    by = random.choice(
        (b"", b"inputs", b"output", b"steps", b"x.y", b'"\\u001b"', b"[a]\nb", b"reference", b"ignore", b"table")
    )
    return _replaced(data, random, rb"(?m)^[\w.]+", by)


BYTES: tuple[Mutation, ...] = (flip, other_byte, cut_end, cut_start, drop, double, swap, zeros, twice, empty)
TEXT: tuple[Mutation, ...] = (
    *(flip, cut_end, drop, double, twice, sign, sign, hostile, letter, line_ends, line_twice, line_gone, lines_moved),
    *(blank_lines, encoding, number, number, word, word, quotes, long_run, all_numbers, all_of_a_word),
)
JSON: tuple[Mutation, ...] = (json_value, json_value, json_key, json_shape)
TOML: tuple[Mutation, ...] = (toml_value, toml_value, toml_key)

FAMILIES: Mapping[str, tuple[Mutation, ...]] = {
    "bytes": BYTES,
    "text": TEXT,
    "csv": (*TEXT, *OF_CSV, *OF_CSV),
    "json": (*TEXT, *JSON * 3),
    "toml": (*TEXT, *TOML * 4),
}
"""The mutations for each form of content; one that is there twice is drawn more often."""

LONGEST = 400_000  # bytes; what grows beyond is cut, so that doubling ends


def mutate(content: bytes, form: str, random: Random) -> tuple[bytes, tuple[str, ...]]:
    """The content after a few mutations, and their names. One in twenty is left as it is."""
    names: list[str] = []
    for _ in range(random.choices((0, 1, 2, 3, 6), (1, 9, 5, 3, 2))[0]):
        mutation = random.choice(FAMILIES[form])
        content = mutation(content, random)[:LONGEST]
        names.append(mutation.__name__)
    return content, tuple(names)
