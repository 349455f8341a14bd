"""BIO comes back as it went out, whatever the tokens are, and broken files are named by line."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sharedtask.converters import bio
from sharedtask.converters.csv.write import sink_lines
from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.schemas.rule import Severity
from tests.converters.spanned_texts import ALPHABET, Row, canonical, rows

SPANS: list[Row] = [
    ("Ayer, #24/7 llovió.", [(0, 4, "WHEN", "no confiable"), (6, 11, "WHAT", None)]),
    ('"¿Quién?" dijo', [(4, 9, "WHO", "confiable")]),
]
FILE = """\
# global.columns = FORM TAG START END RELIABILITY SPAN
# tokenisation = words-and-punctuation-1
# id = 0
# text = "Ayer, #24/7 llovió."
Ayer\tB-WHEN\t0\t4\tno_confiable\t_
,\tO\t4\t5\t_\t_
#\tB-WHAT\t6\t7\t_\t_
24\tI-WHAT\t7\t9\t_\t_
/\tI-WHAT\t9\t10\t_\t_
7\tI-WHAT\t10\t11\t_\t_
llovió\tO\t12\t18\t_\t_
.\tO\t18\t19\t_\t_

# id = 7
# text = "\\"¿Quién?\\" dijo"
"\tO\t0\t1\t_\t_
¿\tO\t1\t2\t_\t_
Quién\tB-WHO\t2\t7\tconfiable\t4-9
?\tI-WHO\t7\t8\t_\t_
"\tI-WHO\t8\t9\t_\t_
dijo\tO\t10\t14\t_\t_

"""


def written(table: pl.DataFrame, folder: Path) -> Path:
    sink_lines(bio.blocks(table.lazy()), folder / "train.bio")
    return folder / "train.bio"


def read(path: Path) -> pl.DataFrame:
    report = convert([path], path.parent / "out", on_error="quarantine")
    assert [one.kind for one in report.inputs] == ["flares/subtask1"]
    return pl.read_parquet(path.parent / "out" / "train.parquet")


def of(text: str, folder: Path) -> Path:
    (folder / "train.bio").write_bytes(text.encode())
    return folder / "train.bio"


def tokens(text: str) -> list[str]:
    lines = bio.blocks(canonical([(text, [])], labelled=False).lazy()).collect()["line"][1].split("\n")
    return [line.partition("\t")[0] for line in lines[2:-1]]


def test_a_record_is_a_block_of_tokens(tmp_path: Path) -> None:
    assert written(canonical(SPANS), tmp_path).read_text("utf-8") == FILE


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Año 2024/25: 3,5 %", ["Año", "2024", "/", "25", ":", "3", ",", "5", "%"]),
        ("O'Donnell snake_case", ["O", "'", "Donnell", "snake_case"]),
        ("e\u0301ste\xa0y\u2028no", ["e\u0301ste", "y", "no"]),
        ("a\u200bb 🙏🏽…", ["a", "\u200b", "b", "🙏", "🏽", "…"]),
        (" \t ", []),
    ],
)
def test_words_and_punctuation_1(text: str, wanted: list[str]) -> None:
    """The tokenisation has a name; a change to what is tested here needs another one."""
    assert bio.TOKENISATION == "words-and-punctuation-1"
    assert tokens(text) == wanted


@settings(settings.get_profile("few"))
@given(st.lists(rows(ALPHABET | st.sampled_from("\n\r")), min_size=1, max_size=5))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, given_rows: list[Row]) -> None:
    table = canonical(given_rows)
    unfit = bio.unfit(table.with_row_index("row").lazy()).collect()["row"]
    table = table.with_row_index("row").filter(~pl.col("row").is_in(unfit.implode())).drop("row")
    back = read(written(table, tmp_path_factory.mktemp("bio"))) if table.height else table
    assert back.equals(table)
    assert back.schema.names() == table.schema.names()  # labels are plain text in files


def test_a_test_file_has_no_tags(tmp_path: Path) -> None:
    table = canonical(SPANS, labelled=False)
    path = written(table, tmp_path)
    assert path.read_text("utf-8").startswith("# global.columns = FORM START END\n")
    assert read(path).equals(table)
    assert bio.unfit(table.with_row_index("row").lazy()).collect().height == 0


def test_a_span_without_a_token_of_its_own_does_not_fit() -> None:
    fits: Row = ("ab cd", [(1, 4, "WHO", None)])
    table = canonical(
        [
            fits,
            ("a  b", [(0, 1, "WHO", None), (1, 3, "WHAT", None)]),
            ("abcd", [(0, 2, "WHO", None), (2, 4, "WHO", None)]),
        ]
    )
    found = bio.unfit(table.with_row_index("row").lazy()).collect()
    assert found["row"].to_list() == [1, 2]
    assert found["which"].to_list() == ["no-token", "no-token"]
    assert found["facts"].str.contains("words-and-punctuation-1").all()


def test_tags_alone_say_what_a_span_is(tmp_path: Path) -> None:
    """Somebody has tagged again: an I- without B-, and a change of label, begin a span; RELIABILITY and SPAN may be left out."""
    table = canonical(SPANS[:1])
    lines = written(table, tmp_path).read_text("utf-8").splitlines()
    tags = {"Ayer": "I-WHEN", ",": "I-WHO", "#": "I-WHO", "24": "B-WHO", "llovió": "I-WHO"}
    kept = ["# global.columns = TAG START END FORM", *lines[2:4]]
    for line in lines[4:-1]:
        form, _, start, end, *_ = line.split("\t")
        kept.append("\t".join([tags.get(form, "O"), start, end, form]))
    back = read(of("\r\n".join([*kept, ""]), tmp_path))
    found = [(one["start"], one["end"], one["label"], one["span_text"]) for one in back["spans"][0]]
    assert found == [
        (0, 4, "WHEN", "Ayer"),
        (4, 7, "WHO", ", #"),
        (7, 9, "WHO", "24"),
        (12, 18, "WHO", "llovió"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "rule", "line"),
    [
        ("24\tI-WHAT\t7\t9\t_\t_", "24\tI-WHAT\t7\t9\t_", "ragged-row", 8),
        ("I-WHAT\t7\t9", "IWHAT\t7\t9", "bad-value", 8),
        ("\t7\t9\t", "\t7\tnine\t", "bad-value", 8),
        ("24\tI", "25\tI", "bad-value", 8),
        ("7\t9\t_\t_", "7\t9\t_\t4..9", "bad-value", 8),
        ('"Ayer,', '"Ayer\\,', "null-value", 3),
        ("# id = 0", "# id = zero", "bad-value", 3),
        ("# id = 0\n", "", "bad-value", 4),
        ("B-WHEN", "B-PERSON", "unknown-label", 3),
    ],
)
def test_what_cannot_be_used_is_named_and_the_rest_is_read(
    tmp_path: Path, old: str, new: str, rule: str, line: int
) -> None:
    path = of(FILE.replace(old, new), tmp_path)
    report = convert([path], tmp_path / "stopped")
    errors = [found for found in report.findings() if found.severity is Severity.ERROR]
    assert [(found.rule.name, found.at.line) for found in errors] == [(rule, line)]
    assert read(path).equals(canonical(SPANS)[1:])
    assert pl.read_parquet(tmp_path / "out" / "quarantine" / "train.parquet").height == 1


def test_columns_without_offsets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="expected START, END too"):
        convert([of("# global.columns = FORM TAG\nAyer\tO\n", tmp_path)], tmp_path / "out")


def test_a_kind_without_spans_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableError, match="holds texts with spans, and a flares/subtask2 file has none"):
        convert([of(FILE, tmp_path)], tmp_path / "out", kind="flares/subtask2")
