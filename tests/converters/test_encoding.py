"""Texts that are not UTF-8: the likely encoding, and what is read through it."""

import csv
import io
import unicodedata
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sharedtask.converters.encoding import text as encoding
from sharedtask.converters.encoding.guess import decoder, likely_encoding
from sharedtask.converters.encoding.text import first_bad_byte, mend_returns, transcode
from sharedtask.converters.source import open_source
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.validate import validate

SPANISH = "Según el acta, el señor Ibáñez aprobó «un censo» de pozos; l’Escala calló. ¿Quién? ÁNGEL dijo que 24 ºC."
FRENCH = "À l’école, les élèves où ça coûte – dès août – 5 €."
VIETNAMESE = "Nghe nói giá gạo tuần sau tăng gấp ba. Đội bóng xóm trên thắng đội xóm dưới, mọi người nhớ đến xem."
# The letters of VIETNAMESE outside ASCII, as RFC 1456 and TCVN 5712 write them.
VISCII = {"ó": 0xF3, "á": 0xE1, "ạ": 0xD5, "ầ": 0xA5, "ă": 0xE5, "ấ": 0xA4, "Đ": 0xD0, "ộ": 0xB5, "ê": 0xEA}
VISCII |= {"ắ": 0xA1, "đ": 0xF0, "ư": 0xDF, "ớ": 0xBE, "ọ": 0xF7, "ờ": 0xB6, "ế": 0xAA}
TCVN = {"ó": 0xE3, "á": 0xB8, "ạ": 0xB9, "ầ": 0xC7, "ă": 0xA8, "ấ": 0xCA, "Đ": 0xA7, "ộ": 0xE9, "ê": 0xAA}
TCVN |= {"ắ": 0xBE, "đ": 0xAE, "ư": 0xAD, "ớ": 0xED, "ọ": 0xE4, "ờ": 0xEA, "ế": 0xD5}


def packed(table: dict[str, int]) -> bytes:
    return bytes(table.get(letter, ord(letter)) for letter in VIETNAMESE)


def cp1258() -> bytes:
    """As Windows writes it: the mark of the tone behind its letter."""
    tones = dict.fromkeys("\u0300\u0301\u0303\u0309\u0323")
    out = ""
    for letter in VIETNAMESE:
        parts = unicodedata.normalize("NFD", letter)
        tone = "".join(part for part in parts if part in tones)
        out += unicodedata.normalize("NFC", "".join(part for part in parts if part not in tones)) + tone
    return out.encode("cp1258")


@pytest.mark.parametrize(
    ("sample", "encoding"),
    [
        (SPANISH.encode("cp1252"), "cp1252"),
        (FRENCH.encode("cp1252"), "cp1252"),
        ("Caf\xe9 \x81 noir".encode("latin-1"), "latin-1"),
        (packed(VISCII), "viscii"),
        (packed(TCVN), "tcvn"),
        (cp1258(), "cp1258"),
    ],
)
def test_likely_encodings(sample: bytes, encoding: str) -> None:
    assert likely_encoding(sample) == encoding


@pytest.mark.parametrize(("encoding", "table"), [("viscii", VISCII), ("tcvn", TCVN)])
def test_vietnamese_tables(encoding: str, table: dict[str, int]) -> None:
    decode = decoder(encoding)
    assert decode(packed(table)[:10], False) + decode(packed(table)[10:], True) == VIETNAMESE
    letters = [decode(bytes([byte]), True) for byte in range(256)]
    assert "\ufffd" not in letters
    assert len(set(letters)) == 256


def test_a_vietnamese_file_is_read_through_its_encoding(tmp_path: Path) -> None:
    header = b"id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post\n"
    path = tmp_path / "public_test.csv"
    path.write_bytes(header + b'1,9f1c27d0b3e84a6655aa0c7d18e2f943,"' + packed(VISCII) + b'",1585720800,1,2,3\n')
    report = convert([path], tmp_path / "out", on_error="quarantine")
    (finding,) = report.findings()
    assert (finding.rule.name, finding.at.line) == ("not-utf8", 2)
    assert "viscii" in finding.message
    assert pl.read_parquet(tmp_path / "out" / "public_test.parquet")["post_message"].to_list() == [VIETNAMESE]


def test_wide_encodings_are_decoded_across_blocks() -> None:
    decode = decoder("utf-16-le")
    data = SPANISH.encode("utf-16-le")
    assert decode(data[:33], False) + decode(data[33:], True) == SPANISH


BLOCKS = pytest.mark.parametrize("block", [1, 2, 5, 1 << 20])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("encoding") / "text.csv"


@BLOCKS
@given(
    rows=st.lists(
        st.lists(st.text(st.sampled_from('ab,"\r\n'), max_size=4), min_size=2, max_size=2), min_size=1, max_size=4
    ),
    ends=st.lists(st.sampled_from(["\r", "\n", "\r\n"]), min_size=4, max_size=4),
)
@example(rows=[["a", "b"], ["a", "b"]], ends=["\r", "\n", "\n", "\n"])
def test_line_feeds_for_lone_returns_keep_the_records(
    path: Path, block: int, rows: list[list[str]], ends: list[str]
) -> None:
    lines = []
    for row in rows:
        out = io.StringIO()
        csv.writer(out, lineterminator="", quoting=csv.QUOTE_ALL).writerow(row)
        lines.append(out.getvalue())
    text = "".join(line + end for line, end in zip(lines, ends, strict=False))
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch, open_source(str(path)) as source:
        patch.setattr(encoding, "BLOCK", block)
        mended = mend_returns(source)
        lone = "\r" in ends[: len(rows)]
        assert (mended is not None) is lone
        written = mended[0].local.read_bytes().decode() if mended else text
    assert list(csv.reader(io.StringIO(written, newline=""))) == rows
    assert written.count("\n") == text.count("\n") + ends[: len(rows)].count("\r")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@BLOCKS
@given(lines=st.lists(st.tuples(st.text(st.sampled_from("añú€ "), max_size=5), st.booleans()), min_size=1, max_size=5))
def test_each_line_is_read_in_the_encoding_that_it_has(path: Path, block: int, lines: list[tuple[str, bool]]) -> None:
    """A line whose bytes are UTF-8 by chance is read as UTF-8: `ñ€€€` in cp1252 are the four bytes of one character."""
    assume(not any(not utf8 and not line.isascii() and _is_utf8(line.encode("cp1252")) for line, utf8 in lines))
    content = b"\n".join(line.encode("utf-8" if utf8 else "cp1252") for line, utf8 in lines)
    path.write_bytes(content)
    bad = first_bad_byte(path)
    if bad is None:
        return
    with pytest.MonkeyPatch.context() as patch, open_source(str(path)) as source:
        patch.setattr(encoding, "BLOCK", block)
        read = transcode(source, bad).local.read_bytes().decode()
    assert read.split("\n") == [line for line, _ in lines]


@pytest.mark.parametrize(
    ("records", "rows", "found", "lines"),
    [
        ("100,a\r101,b\n102,c\n", 63, [("cr-line-ends", 1)], [62]),
        ('100,"a\rb"\n102,c\n', 62, [], []),
    ],
)
def test_lone_returns_behind_the_first_bytes(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    records: str,
    rows: int,
    found: list[tuple[str, int]],
    lines: list[int],
) -> None:
    monkeypatch.setattr("sharedtask.converters.source.FIRST", 200)
    body = "".join(f"{number},Ayer llovió.\n" for number in range(60))
    file = tmp_path / "news.csv"
    file.write_bytes(f"Id,Text\n{body}{records}".encode())
    report = validate([file])
    assert [(one.rule.name, one.count) for one in report.rules()] == found
    assert (report.ok, report.inputs[0].rows) == (True, rows)
    assert [finding.at.line for finding in report.findings()] == lines
    convert([file], tmp_path / "out")
    assert pl.read_parquet(tmp_path / "out" / "news.parquet").height == rows
