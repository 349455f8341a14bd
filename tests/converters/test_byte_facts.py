"""What one pass over the bytes of a file finds, however the blocks fall."""

import hashlib
from codecs import BOM_UTF8
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sharedtask.converters.encoding import byte_facts as module
from sharedtask.converters.encoding.byte_facts import ByteFacts, byte_facts, classes_lacking

C0 = {code for code in range(1, 32) if chr(code) not in "\t\n\r\f"}
BLOCKS = pytest.mark.parametrize("block", [1, 2, 3, 1 << 21])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bytes") / "bytes.csv"


def facts_of(path: Path, content: bytes, block: int) -> ByteFacts:
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BLOCK", block)
        return byte_facts(path)


def has_stray_quote(content: bytes) -> bool:
    """The definition, quote by quote."""
    beside = b'",;|\t\r\n'
    places = range(1, len(content) - 1)
    return any(content[at : at + 1] == b'"' and not {content[at - 1], content[at + 1]} & {*beside} for at in places)


@BLOCKS
@given(content=st.lists(st.sampled_from(b"a,\r\n\r\n\0\x07\t\x0b\x0c\xc3"), max_size=12).map(bytes))
@example(b"\r\n\r\n")
@example(b"a\r")
def test_bytes_are_counted(path: Path, block: int, content: bytes) -> None:
    facts = facts_of(path, content, block)
    assert (facts.lf, facts.cr, facts.crlf) == tuple(content.count(ends) for ends in (b"\n", b"\r", b"\r\n"))
    assert facts.nul == content.count(b"\0")
    assert facts.has_c0 is bool(C0 & set(content))
    assert facts.final_newline is content.endswith(b"\n")
    assert facts.sha256 == hashlib.sha256(content).hexdigest()
    classes = {"nul": b"\0" in content, "c0": bool(C0 & set(content)), "wide": max(content, default=0) > 127}
    assert facts.lacks == {name for name, there in classes.items() if not there}


@BLOCKS
@given(content=st.lists(st.sampled_from(b'ab""",;\n'), max_size=12).map(bytes))
@example(b'a"b')
@example(b'a,"b"c')
def test_stray_quotes_are_seen(path: Path, block: int, content: bytes) -> None:
    assert facts_of(path, content, block).stray_quote is has_stray_quote(content)


@pytest.mark.parametrize("byte", range(256))
def test_what_may_stand_beside_a_quote(path: Path, byte: int) -> None:
    for content in (bytes([byte]) + b'"b', b'b"' + bytes([byte])):
        assert facts_of(path, b"a\n" + content, 4).stray_quote is has_stray_quote(content)


def test_a_quote_after_a_byte_order_mark_is_not_stray(path: Path) -> None:
    assert not facts_of(path, BOM_UTF8 + b'"a","b"\n', 1 << 20).stray_quote
    assert facts_of(path, BOM_UTF8 + b'"a","b"\nx"y,z\n', 1 << 20).stray_quote


@pytest.mark.parametrize("start", [b'{"a": "b"}', b' [{"a": "b"}', BOM_UTF8 + b'{"a": "b"}', b"PAR1", b"PK"])
def test_stray_quotes_are_not_looked_for_in_other_files(path: Path, start: bytes) -> None:
    assert not facts_of(path, start + b'\na"b\n', 1 << 20).stray_quote


@given(content=st.lists(st.sampled_from(b"a,\r\n\0\x07\t\x0b\xc3"), max_size=8).map(bytes))
def test_the_first_bytes_are_classed_as_the_whole_file_is(path: Path, content: bytes) -> None:
    assert classes_lacking(content) == facts_of(path, content, 1 << 20).lacks
