"""A clean run of each kind with some seeded faults of different rules gives exactly these rules with these counts, in whatever order."""

import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from sharedtask.pipelines.verbs.check import check

Rows = list[list[str]]
Fault = tuple[str, Callable[[list[str]], None]]


def _set(column: int, value: str) -> Callable[[list[str]], None]:
    def change(row: list[str]) -> None:
        row[column] = value

    return change


def _edit(column: int, old: str, new: str) -> Callable[[list[str]], None]:
    def change(row: list[str]) -> None:
        assert old in row[column]
        row[column] = row[column].replace(old, new)

    return change


class Clean:
    """A reference and a clean run of one kind; each fault breaks one record, which one is for the test to choose."""

    def __init__(self, name: str, reference: str, header: list[str] | None, rows: Rows, faults: list[Fault]) -> None:
        self.name, self.reference, self.header, self.rows, self.faults = name, reference, header, rows, faults


TEXT = "El alcalde de Rioseco inauguró ayer la nueva biblioteca del barrio norte."
TAGS = "[{'Tag_Start': 0, 'Tag_End': 21, '5W1H_Label': 'WHO'}, {'Tag_Start': 36, 'Tag_End': 55, '5W1H_Label': 'WHAT'}]"
N = 24
IDS = [7 * at % 101 + 3 for at in range(N)]

SUBTASK1 = Clean(
    "test.json",
    "".join(json.dumps({"Id": key, "Text": TEXT}) + "\n" for key in IDS),
    ["Id", "Tags"],
    [[str(key), TAGS] for key in IDS],
    [
        ("bad-tags-cell", _set(1, "nothing")),
        ("label-case", _edit(1, "'WHO'", "'Who'")),
        ("unknown-label", _edit(1, "'WHO'", "'WHOM'")),
        ("offset-not-integer", _edit(1, "21", "'21'")),
        ("tag-key-missing", _edit(1, "'Tag_End': 21, ", "")),
        ("span-out-of-bounds", _edit(1, "55", "550")),
        ("span-empty", _edit(1, "55", "36")),
        ("tags-not-a-list", _set(1, "{'Tag_Start': 0, 'Tag_End': 21, '5W1H_Label': 'WHO'}")),
        ("json-tags", lambda row: row.__setitem__(1, row[1].replace("'", '"'))),
        ("id-form-differs", lambda row: row.__setitem__(0, row[0] + ".0")),
    ],
)
SUBTASK2 = Clean(
    "test.json",
    "".join(
        json.dumps({"Id": key, "Text": TEXT, "5W1H_Label": "WHO", "Tag_Text": TEXT[:21], "Tag_Start": 0, "Tag_End": 21})
        + "\n"
        for key in IDS
    ),
    ["Id", "Reliability_Label"],
    [[str(key), ("confiable", "semiconfiable", "no confiable")[key % 3]] for key in IDS],
    [
        ("unknown-reliability", _set(1, "Confiable")),
        ("null-value", _set(1, "")),
        ("id-form-differs", lambda row: row.__setitem__(0, "00" + row[0])),
    ],
)
KEYS = [(document, sentence) for document in (901, 305, 644) for sentence in range(8)]
CHEERS = Clean(
    "sentences_en_test.csv",
    "doc_id,sentence_id,sentence_text\n" + "".join(f"{d},{s},Sentence {d} {s}.\n" for d, s in KEYS),
    ["doc_id", "sentence_id", "is_relevant", "sector_id"],
    [[str(d), str(s), *(("1", str(s)) if s % 2 else ("0", "-1"))] for d, s in KEYS],
    [
        ("relevance-not-binary", _set(2, "3")),
        ("sector-on-irrelevant", lambda row: row.__setitem__(slice(2, 4), ["0", "4"])),
        ("sector-missing-on-relevant", lambda row: row.__setitem__(slice(2, 4), ["1", "-1"])),
        ("unknown-sector", lambda row: row.__setitem__(slice(2, 4), ["1", "11"])),
        ("several-sectors", _set(3, "[1, 2]")),
        ("bad-value", _set(3, "none")),
        ("null-value", _set(3, "")),
        ("spreadsheet-number", _set(1, "1.2E+18")),
        ("id-form-differs", lambda row: row.__setitem__(0, row[0] + ".0")),
    ],
)
REINTEL = Clean(
    "public_test.csv",
    "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post\n"
    + "".join(f"{4400 + at},{at:032x},Tin {at},1586080000,1,1,1\n" for at in range(N)),
    None,
    [[str(4400 + at), f"0.{at + 10}"] for at in range(N)],
    [
        ("probability-not-finite", _set(1, "nan")),
        ("probability-out-of-range", _set(1, "1.5")),
        ("bad-value", _set(1, "high")),
        ("decimal-comma", _set(1, "0,5")),
        ("id-form-differs", lambda row: row.__setitem__(0, "0" + row[0])),
    ],
)
KINDS = {"flares/subtask1-run": SUBTASK1, "flares/subtask2-run": SUBTASK2, "cheers/run": CHEERS, "reintel/run": REINTEL}


def _written(clean: Clean, rows: Rows) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([clean.header] if clean.header else [])
    writer.writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(data=st.data())
def test_seeded_faults_are_counted_exactly(kind: str, data: st.DataObject) -> None:
    clean = KINDS[kind]
    rows = [list(row) for row in clean.rows]
    chosen = data.draw(st.lists(st.integers(0, len(clean.faults) - 1), max_size=8))
    places = data.draw(st.permutations(range(len(rows))))
    expected: dict[str, int] = {}
    for place, number in zip(places, chosen, strict=False):
        rule, change = clean.faults[number]
        change(rows[place])
        expected[rule] = expected.get(rule, 0) + 1
    with tempfile.TemporaryDirectory() as folder:
        run, reference = Path(folder, "run.csv"), Path(folder, clean.name)
        run.write_text(_written(clean, rows), encoding="utf-8")
        reference.write_text(clean.reference, encoding="utf-8")
        report = check(run, reference)
    found = {one.rule.name: one.count for one in report.rules()}
    found.pop("not-upload-form", None)  # an info: a sound run has to be packed
    assert found == expected
