"""What participants upload: each deviation that the facts list, judged as the platform or the official reader would take it."""

from pathlib import Path

import pytest

from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.verbs.check import check

TEXTS = {
    157: "Ayer, la jefa de turno abrió dos puertas en Vallehondo.",
    612: "Según el parte, el equipo azul cambió tres ruedas por prudencia.",
    33: "Hoy, una banda joven tocó seis canciones con entusiasmo.",
}
TEST_FILE = "".join(f'{{"Id":{key},"Text":"{text}"}}\n' for key, text in TEXTS.items())
SPANS = {157: (6, 22, "WHO"), 612: (16, 30, "WHO"), 33: (5, 20, "WHO")}


def tags(key: int, template: str = "[{{'Tag_Start': {0}, 'Tag_End': {1}, '5W1H_Label': '{2}'}}]") -> str:
    return template.format(*SPANS[key])


def flares(cell: str, *, header: str = "Id,Tags", key: str = "612") -> str:
    """A run of the three texts in which the second has this cell."""
    cells = {"157": tags(157), key: cell, "33": tags(33)}
    return header + "\n" + "".join(f'{one},"{text.replace(chr(34), chr(34) * 2)}"\n' for one, text in cells.items())


def judged(
    tmp_path: Path, run: str | bytes, reference: str, name: str = "run.csv", reference_name: str = "test.json"
) -> Report:
    (tmp_path / name).write_bytes(run if isinstance(run, bytes) else run.encode())
    (tmp_path / reference_name).write_text(reference, encoding="utf-8")
    return check(tmp_path / name, tmp_path / reference_name)


def told(report: Report) -> dict[str, tuple[str, int]]:
    return {one.rule.name: (str(one.severity), one.count) for one in report.rules()}


GOOD = tags(612)
AS_JSON = GOOD.replace("'", '"')
FLARES_CASES: dict[str, tuple[str | bytes, dict[str, tuple[str, int]]]] = {
    "clean": (flares(GOOD), {}),
    "header ID and TAGS": (flares(GOOD, header="ID,TAGS"), {"misnamed-column": ("error", 2)}),
    "semicolons": (flares(GOOD).replace(',"', ';"').replace("Id,Tags", "Id;Tags"), {"wrong-delimiter": ("error", 1)}),
    "a space before Tags": (flares(GOOD, header="Id, Tags"), {"space-after-delimiter": ("error", 1)}),
    "keys start, end, tag": (
        flares("[{'start': 16, 'end': 30, 'tag': 'WHO'}]"),
        {"tag-key-alias": ("error", 1)},
    ),
    "JSON": (flares(AS_JSON), {"json-tags": ("info", 1)}),
    "tuples": (flares(f"({GOOD[1:-1]},)"), {}),
    "float offsets": (flares(GOOD.replace("16", "16.0")), {"offset-not-integer": ("error", 1)}),
    "extra keys in a tag": (flares(GOOD.replace("}", ", 'Tag_Text': 'el equipo azul', 'score': 0.5}")), {}),
    "an extra column": (
        "Id,Tags,note\n" + "".join(f'{key},"{tags(key)}",x\n' for key in TEXTS),
        {"extra-column": ("error", 1)},
    ),
    "a leading index column": (
        ",Id,Tags\n" + "".join(f'{at},{key},"{tags(key)}"\n' for at, key in enumerate(TEXTS)),
        {"index-column": ("error", 1)},
    ),
    "BOM and CRLF": (
        ("\ufeff" + flares(GOOD)).replace("\n", "\r\n"),
        {"utf8-bom": ("info", 1), "crlf-line-ends": ("info", 1)},
    ),
    "quoted ids": (flares(GOOD).replace("157,", '"157",').replace("\n612,", '\n"612",'), {}),
    "ids as 1.0": (flares(GOOD, key="612.0"), {"id-form-differs": ("warning", 1)}),
    "JSON null": (
        flares(AS_JSON.replace('"}', '", "Tag_Text": null}')),
        {"bad-tags-cell": ("error", 1)},
    ),
    "a bare nan": (flares(GOOD.replace("16", "nan")), {"bad-tags-cell": ("error", 1)}),
    "an empty cell": (flares(""), {"bad-tags-cell": ("error", 1)}),
    "an empty list": (flares("[]"), {}),
    "offsets as strings": (flares(GOOD.replace("16", "'16'")), {"offset-not-integer": ("error", 1)}),
    "a lone dict": (flares(GOOD[1:-1]), {"tags-not-a-list": ("error", 1)}),
    "curly quotes": (flares(GOOD.replace("'", "’")), {"bad-tags-cell": ("error", 1)}),
    "an unknown label": (flares(GOOD.replace("WHO", "WHOM")), {"unknown-label": ("error", 1)}),
    "a label in title case": (flares(GOOD.replace("WHO", "Who")), {"label-case": ("error", 1)}),
    "an expression": (
        flares("[{'Tag_Start': 8 + 8, 'Tag_End': 30, '5W1H_Label': 'WHO'}]"),
        {"bad-tags-cell": ("error", 1)},
    ),
    "a call": (flares("[dict(Tag_Start=16)]"), {"bad-tags-cell": ("error", 1)}),
}


@pytest.mark.parametrize("name", FLARES_CASES)
def test_flares_deviations(tmp_path: Path, name: str) -> None:
    run, rules = FLARES_CASES[name]
    report = judged(tmp_path, run, TEST_FILE)
    assert told(report) == rules
    assert report.ok == all(severity != "error" for severity, _ in rules.values())


def test_text_ids_are_no_ids_and_not_missing_too(tmp_path: Path) -> None:
    report = judged(tmp_path, flares(GOOD, key="S1"), TEST_FILE)
    assert told(report) == {"bad-value": ("error", 1)}


def test_tags_that_are_not_quoted_are_ragged(tmp_path: Path) -> None:
    run = f'Id,Tags\n157,"{tags(157)}"\n612,{GOOD}\n33,"{tags(33)}"\n'
    report = judged(tmp_path, run, TEST_FILE)
    assert told(report) == {"ragged-row": ("error", 1)}
    assert [finding.at.line for finding in report.findings()] == [3]


SENTENCES = (
    "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n"
    '501,0,Wells are dry.,1,[10]\n501,1,The road is open.,0,[]\n502,0,Tents arrived.,1,"[4, 9]"\n502,1,More will follow.,0,[]\n'
)
RUN = "doc_id,sentence_id,is_relevant,sector_id\n501,0,1,10\n501,1,0,-1\n502,0,1,9\n502,1,0,-1\n"
CHEERS_CASES: dict[str, tuple[str, dict[str, tuple[str, int]]]] = {
    "clean": (RUN, {}),
    "fewer rows": (RUN.replace("502,1,0,-1\n", ""), {"missing-id": ("error", 1)}),
    "a sector without relevance": (RUN.replace("501,1,0,-1", "501,1,0,4"), {"sector-on-irrelevant": ("error", 1)}),
    "a blank sector": (RUN.replace("501,1,0,-1", "501,1,0,"), {"null-value": ("error", 1)}),
    "a sector that the truth never has": (
        RUN.replace("502,0,1,9", "502,0,1,7"),
        {"sector-unseen-in-reference": ("warning", 1)},
    ),
    "relevant and -1": (RUN.replace("502,0,1,9", "502,0,1,-1"), {"sector-missing-on-relevant": ("error", 1)}),
    "the id 11": (RUN.replace("502,0,1,9", "502,0,1,11"), {"unknown-sector": ("error", 1)}),
    "a sector by name": (RUN.replace("502,0,1,9", "502,0,1,Shelter"), {"unknown-sector": ("error", 1)}),
    "two sectors": (RUN.replace("502,0,1,9", '502,0,1,"4,9"'), {"several-sectors": ("error", 1)}),
    "another order": (
        "doc_id,sentence_id,is_relevant,sector_id\n502,0,1,9\n502,1,0,-1\n501,0,1,10\n501,1,0,-1\n",
        {"order-differs": ("info", 1)},
    ),
    "an extra column": (
        RUN.replace("\n", ",x\n").replace("sector_id,x", "sector_id,note"),
        {"extra-column": ("warning", 1)},
    ),
    "another order of columns": (
        "sentence_id,doc_id,is_relevant,sector_id\n0,501,1,10\n1,501,0,-1\n0,502,1,9\n1,502,0,-1\n",
        {"column-order": ("info", 1)},
    ),
    "an index column": (
        ",doc_id,sentence_id,is_relevant,sector_id\n0,501,0,1,10\n1,501,1,0,-1\n2,502,0,1,9\n3,502,1,0,-1\n",
        {"index-column": ("warning", 1)},
    ),
    "float ids": (RUN.replace("501,0,", "501.0,0,"), {"id-form-differs": ("warning", 1)}),
    "float sectors": (RUN.replace("1,9", "1,9.0"), {"id-form-differs": ("warning", 1)}),
    "True and False": (
        RUN.replace(",1,10", ",True,10").replace("501,1,0,", "501,1,False,"),
        {"relevance-not-binary": ("info", 2)},
    ),
    "BOM and CRLF": (
        ("\ufeff" + RUN).replace("\n", "\r\n"),
        {"utf8-bom": ("info", 1), "crlf-line-ends": ("info", 1)},
    ),
    "semicolons": (RUN.replace(",", ";"), {"wrong-delimiter": ("error", 1)}),
    "a third relevance": (RUN.replace("501,1,0,-1", "501,1,2,-1"), {"relevance-not-binary": ("error", 1)}),
    "a blank relevance": (RUN.replace("501,1,0,-1", "501,1,,-1"), {"null-value": ("error", 1)}),
    "a key twice, another missing": (
        RUN.replace("502,1,0,-1", "501,1,0,-1"),
        {"duplicate-id": ("error", 1), "missing-id": ("error", 1)},
    ),
    "a foreign key": (
        RUN.replace("502,1,0,-1", "509,1,0,-1"),
        {"unknown-id": ("error", 1), "missing-id": ("error", 1)},
    ),
}


@pytest.mark.parametrize("name", CHEERS_CASES)
def test_cheers_deviations(tmp_path: Path, name: str) -> None:
    run, rules = CHEERS_CASES[name]
    report = judged(tmp_path, run, SENTENCES, reference_name="sentences_en_val.csv")
    assert told(report) == rules
    assert report.ok == all(severity != "error" for severity, _ in rules.values())


POSTS = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post\n" + "".join(
    f"{key},{key:032x},Tin {key},158608{key},1,2,3\n" for key in range(4373, 4379)
)
RESULTS = [(4373, "0.1"), (4374, "0.9"), (4375, "0.45"), (4376, "0.3"), (4377, "0.71"), (4378, "0.2")]


def results(pairs: list[tuple[object, str]], between: str = ",") -> str:
    return "".join(f"{key}{between}{value}\n" for key, value in pairs)


REINTEL_CASES: dict[str, tuple[str, dict[str, tuple[str, int]]]] = {
    "clean": (results([*RESULTS]), {}),
    "the form printed in the paper": (results([*RESULTS], ", "), {"space-after-delimiter": ("warning", 1)}),
    "a header": ("id,probability\n" + results([*RESULTS]), {"header-unexpected": ("error", 1)}),
    "a row too few": (results([*RESULTS[:-1]]), {"missing-id": ("error", 1)}),
    "row numbers for ids": (
        results([(at, value) for at, (_, value) in enumerate(RESULTS)]),
        {"row-index-instead-of-id": ("warning", 1)},
    ),
    "another order": (results([*reversed(RESULTS)]), {"order-differs": ("error", 1)}),
    "out of range": (results([*RESULTS[:-1], (4378, "1.2")]), {"probability-out-of-range": ("error", 1)}),
    "not a number": (results([*RESULTS[:-1], (4378, "nan")]), {"probability-not-finite": ("error", 1)}),
    "an empty probability": (results([*RESULTS[:-1], (4378, "")]), {"probability-not-finite": ("error", 1)}),
    "a word": (results([*RESULTS[:-1], (4378, "high")]), {"bad-value": ("error", 1)}),
    "hard labels": (results([(key, str(key % 2)) for key, _ in RESULTS]), {"hard-labels": ("warning", 1)}),
    "one probability for all": (
        results([(key, "0.5") for key, _ in RESULTS]),
        {"constant-probability": ("warning", 1)},
    ),
    "CRLF": (results([*RESULTS]).replace("\n", "\r\n"), {"crlf-line-ends": ("info", 1)}),
}


@pytest.mark.parametrize("name", REINTEL_CASES)
def test_reintel_deviations(tmp_path: Path, name: str) -> None:
    run, rules = REINTEL_CASES[name]
    report = judged(tmp_path, run, POSTS, name="results.csv", reference_name="public_test.csv")
    to_pack = {} if "error" in dict(rules.values()) else {"not-upload-form": ("info", 1)}
    assert told(report) == rules | to_pack


def test_a_data_file_is_no_run(tmp_path: Path) -> None:
    from sharedtask.converters.errors import UnusableError

    with pytest.raises(UnusableError, match="cheers/sentences"):
        judged(tmp_path, SENTENCES, SENTENCES, reference_name="sentences_en_val.csv")


def test_nothing_is_judged_against_a_broken_reference(tmp_path: Path) -> None:
    twice = SENTENCES + "501,0,Wells are dry.,1,[10]\n"
    report = judged(tmp_path, RUN.replace("501,0,1,10\n", ""), twice, reference_name="sentences_en_val.csv")
    assert "duplicate-key" in told(report)
    assert "missing-id" not in told(report)
    assert {finding.at.file for finding in report.findings()} == {str(tmp_path / "sentences_en_val.csv")}


def test_value_findings_of_the_reference_are_shown_and_change_nothing(tmp_path: Path) -> None:
    odd = SENTENCES.replace("The road is open.,0,[]", "The road is open.,0,[0 1")
    report = judged(tmp_path, RUN.replace("501,0,1,10\n", ""), odd, reference_name="sentences_en_val.csv")
    assert told(report)["missing-id"] == ("error", 1)
    assert "bad-sector-list" not in told(report)
    assert [(one.rule.name, one.severity, one.count) for one in report.reference_rules()] == [
        ("bad-sector-list", "error", 1)
    ]
    assert (report.counts["error"], report.reference_counts["error"]) == (1, 1)


def test_a_span_is_shown_where_it_belongs_once_the_cause_is_known(tmp_path: Path) -> None:
    """The emoji is two UTF-16 units and one character, so each offset is one too great; the label is wrong besides."""
    text = "😀 Ana vio a Marta ayer en Lima."
    spans = [(3, 6, "WHO", "Ana"), (13, 18, "WHO", "Marta"), (19, 23, "WHEN", "ayer"), (27, 31, "PLACE", "Lima")]
    tags = [
        {"Tag_Start": start, "Tag_End": end, "5W1H_Label": label, "Tag_Text": word} for start, end, label, word in spans
    ]
    cell = str(tags).replace('"', '""')
    report = judged(tmp_path, f'Id,Tags\n1,"{cell}"\n', f'{{"Id":1,"Text":"{text}"}}\n')
    assert "offsets-utf16" in told(report)
    (wrong,) = (one.finding.details for one in report.findings() if one.rule.name == "unknown-label")
    assert (wrong["start"], wrong["end"]) == (27, 31)
    assert wrong["meant"] == [26, 30]
    assert wrong["context"] == "vio a Marta ayer en ⟦Lima⟧."  # 20 characters before it


@pytest.mark.parametrize("cell", ["[300]", "[3", '"[9, 4]"', "x", ""])
def test_a_faulty_list_of_sectors_in_the_reference_is_shown_and_hides_no_sector(tmp_path: Path, cell: str) -> None:
    """The different lists alone are looked at first, and all records where one of them is faulty."""
    reference = SENTENCES.replace("501,1,The road is open.,0,[]", f"501,1,The road is open.,1,{cell}")
    run = RUN.replace("502,0,1,9", "502,0,1,7")
    report = judged(tmp_path, run, reference, reference_name="sentences_en_val.csv")
    assert told(report) == {"sector-unseen-in-reference": ("warning", 1)}
    faults = [one.at.row for one in report.findings() if one.role == "reference" and one.at.column == "sector_ids"]
    assert faults == [2]
