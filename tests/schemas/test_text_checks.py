"""The rules about odd characters: what the cheap first looks let pass must really be sound, and what is sound must not be named."""

import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sharedtask.schemas.engine.text_checks import NOT_NFC_PREFILTER, text_checks
from sharedtask.schemas.kind import Column
from sharedtask.schemas.reading import text

EVERY = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
CHECKS = text_checks(Column("t", "t", text(), "", prose=True))

SPANISH = """reunión niño pequeñas pingüino ÁRBOL Éxito ÍNDICE ÓPTIMO ÚLTIMO CAÑÓN VERGÜENZA «aquí» “allí” ‘así’ más… ¿qué? ¡sí! 1.ª 2.º
canción— años– “¿Él?” (Íñigo) À la carta São Paulo CORAÇÃO “NÃO” AÇÃO— Åland 25 °C ±3 µm 5 € ½ ¼ §7 ©2020 Â â“ ñ’"""
VIETNAMESE = """tiếng Việt người được những không cộng hoà nước Đường đồng TÃ BÃO” bão– “lã” MÃ’ ĐÃ— ÃO” rã— NGÃ… xã’ CỨU TRỢ” lũ lụt” mưa– Huế’ ÂM”
ÂN– THÂN’ Âu— chăn’ ĂN” ĐĂNG– Quảng Trị… ơn” trường– kẻ “giả” hỏi? ngã— nặng’ sắc” huyền“ Ưu– ƯỚC” ỡ” ỹ’ ý— Á” á– à… ạ’ ậ” ệ–"""


def broken(rule: str, texts: list[str]) -> list[bool]:
    """Which texts break a rule."""
    fails = [check.fails.fill_null(False) for check in CHECKS if check.rule.name == rule]
    return (
        pl.DataFrame({"t": texts}, schema={"t": pl.String}).select(pl.any_horizontal(fails).alias("f"))["f"].to_list()
    )


def passed_over(texts: list[str]) -> list[str]:
    """The texts that the prefilter of the normal form lets pass."""
    found = pl.Series(texts).str.contains(NOT_NFC_PREFILTER)
    return [one for one, hit in zip(texts, found, strict=True) if not hit]


def test_no_character_that_nfc_changes_is_passed_over() -> None:
    changed = [one for one in EVERY if unicodedata.normalize("NFC", one) != one]
    assert len(changed) > 1000
    assert passed_over(changed) == []


def test_no_character_that_combines_with_one_before_it_is_passed_over() -> None:
    """NFC_Quick_Check=Maybe: the second halves of the canonical decompositions, and the jamo."""
    second = set()
    for one in EVERY:
        parts = unicodedata.decomposition(one).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            base, mark = (chr(int(part, 16)) for part in parts)
            if unicodedata.normalize("NFC", base + mark) != base + mark:
                second.add(mark)
    second |= {chr(code) for code in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    assert len(second) > 50
    assert passed_over(sorted(second)) == []


def test_no_mark_that_can_change_places_is_passed_over() -> None:
    assert passed_over([one for one in EVERY if unicodedata.combining(one)]) == []


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cn", "Cs", "Co"], exclude_characters="\0")
        | st.sampled_from("aáâ\u0301\u0302\u0323\u1161\u11a8각가"),
        max_size=8,
    )
)
def test_text_not_nfc_is_what_unicodedata_says(one: str) -> None:
    assert broken("text-not-nfc", [one]) == [not unicodedata.is_normalized("NFC", one)]


def misread(word: str) -> str | None:
    """A word in UTF-8 as cp1252 shows it; None where that code page has no sign for one of the bytes."""
    try:
        return word.encode("utf-8").decode("cp1252")
    except UnicodeDecodeError:
        return None


LETTERS = [*"áéíóúñüÁÉÍÓÚÑÜ¿¡ºª«»“”‘’—–…", *"ăâđêôơưàảãạấầẩẫậắằẳẵặẻẽẹếềểễệỉĩịỏõọốồổỗộớờởỡợủũụứừửữựỳỷỹỵĂÂĐÊÔƠƯẾỘỮỰ"]


@pytest.mark.parametrize("letter", [one for one in LETTERS if misread(one)])
def test_a_letter_read_in_the_wrong_encoding_is_found(letter: str) -> None:
    word = misread(f"to{letter}n")
    assert word
    assert broken("mojibake", [word, f"{word} và sau nữa", letter]) == [True, True, False], word


@pytest.mark.parametrize("word", [*SPANISH.split(), *VIETNAMESE.split(), "XÃ\u00a0HỘI", "CỦA\u00a0BÃ\u00a0“NÀY”"])
def test_a_sound_word_is_not_taken_for_one(word: str) -> None:
    assert broken("mojibake", [word, f"{word} {word}", f"“{word}”", f"{word}—"]) == [False] * 4


def test_controls_are_the_c0_and_c1_but_for_four_and_the_line_separator() -> None:
    controls = {chr(code) for code in (*range(0x01, 0x20), *range(0x80, 0xA0))} - set("\t\n\r\f\x85")
    near = [chr(code) for code in range(0x01, 0x180)]
    assert {one for one, hit in zip(near, broken("control-character", near), strict=True) if hit} == controls


def test_line_separators() -> None:
    found = broken("line-separator-character", EVERY)
    assert {one for one, hit in zip(EVERY, found, strict=True) if hit} == {"\x85", "\u2028", "\u2029"}


@pytest.mark.parametrize(
    ("one", "lost"),
    [
        ("a\ufffdb", True),
        ("resoluci??n", True),
        ("ni???o", True),
        ("?? a", False),
        ("a?b", False),
        ("sí??", False),
        ("¿ves??", False),
        ("https://x.org/??a", False),
        ("", False),
    ],
)
def test_replacement_characters(one: str, lost: bool) -> None:
    assert broken("replacement-character", [one]) == [lost]


def test_a_nul_is_found() -> None:
    assert broken("nul-byte", ["a\0b", "a\\0b", "\0"]) == [True, False, True]
