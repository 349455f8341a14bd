"""The catalogue against its own rules of form, and against the list of rule names that the project agreed on."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sharedtask.pipelines.tasks import all_kinds
from sharedtask.schemas.rule import Rule, Severity
from sharedtask.schemas.rules.catalogue import RULES, SEVERITIES, UnknownRuleError, find

AGREED = Path(__file__).resolve().parents[3] / "shared" / "rules.md"
LETTERS = {"E": Severity.ERROR, "W": Severity.WARNING, "I": Severity.INFO}
GOLD = ("flares/subtask1", "flares/subtask2")
UPLOADS = ("flares/subtask1-run", "flares/subtask2-run", "reintel/run")
KINDS = {
    *GOLD,
    *UPLOADS,
    "cheers/sentences",
    "cheers/documents",
    "cheers/sectors",
    "cheers/run",
    "reintel/posts",
    "reintel/annotations",
}
WITHOUT_EXAMPLE = {
    *("field-too-large", "truncated-cell"),  # the files would take 64 MiB and 32 KiB
    *("unread", "workbook-sheets"),  # these are about several files, and about no text
}
LATER = {  # with the next free code of their stage, wherever the list names them
    *("blank-record", "json-encoded-twice", "json-over-lines", "page-form", "repeated-header", "spreadsheet-error"),
    *("offsets-in-words", "offsets-on-escaped-json", "offsets-unexplained"),
    *("swallowed-records", "text-begins-with-bom", "truncated-cell", "unread"),
}
OWN = {
    "offsets-on-escaped-html",
    "workbook-sheets",
    "fragment-absent",
    "fragment-ambiguous",
    "fragment-placed",
}  # not on the list
REPAIRED = {"bad-tags-cell"}  # on the list as a rule without a repair; some of its cells are repaired since
AGAINST = ("FLA4", "FLA5", "RUN")  # beginnings of the codes that are judged against a reference

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def agreed_rows() -> list[tuple[str, str, bool]]:
    """Name, text of the severity column and fix mark of each rule in the agreed list, in its order."""
    rows = []
    for line in AGREED.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if re.match(r"[EWI]\b", cells[1] if len(cells) > 1 else ""):
            fixable = len(cells) > 3 and cells[2].startswith("fix")
            rows += [(name.strip(), cells[1], fixable) for name in cells[0].split(",")]
    return rows


def agreed_severity(text: str) -> Severity:
    """The severity where nothing special holds: the first letter, or what follows `else`."""
    special = re.search(r"\belse ([EWI])\b", text)
    return LETTERS[special[1] if special else text[0]]


@each_rule
def test_code_and_name_are_well_formed(rule: Rule) -> None:
    assert re.fullmatch(r"(FMT|RUN|FLA|CHE|REI|SPL)[0-5]\d\d", rule.code)
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name)


def test_codes_and_names_are_unique_and_sorted() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))
    assert len({rule.name for rule in RULES}) == len(RULES)


@each_rule
def test_texts_are_sentences(rule: Rule) -> None:
    for text in (rule.meaning, rule.why, rule.hint):
        assert re.fullmatch(r"[A-Z].*[^.]\.", text), text
        assert "  " not in text


@each_rule
def test_example_shows_one_change(rule: Rule) -> None:
    if rule.name in WITHOUT_EXAMPLE:
        assert rule.example is None
        return
    assert rule.example is not None
    assert rule.example.kind in KINDS
    assert rule.example.name
    assert rule.example.right
    assert rule.example.wrong != rule.example.right
    assert bool(rule.example.against) == bool(rule.example.against_name)
    if rule.code.startswith(AGAINST):
        assert rule.example.against


def test_severities_of_kinds_are_of_known_rules_and_differ() -> None:
    for kind in all_kinds():
        assert all(find(name).severity is not severity for name, severity in kind.severities.items())
        assert kind.severities == SEVERITIES.get(kind.name, {})


@pytest.mark.parametrize(
    ("name", "kinds", "severity"),
    [
        ("extra-column", UPLOADS, Severity.ERROR),
        ("index-column", UPLOADS, Severity.ERROR),
        ("order-differs", ("reintel/run", "flares/subtask2-run"), Severity.ERROR),
        ("row-index-instead-of-id", ("reintel/run",), Severity.WARNING),
        ("duplicate-span", ("flares/subtask1",), Severity.ERROR),
        ("span-overlap", ("flares/subtask1",), Severity.ERROR),
    ],
)
def test_severity_depends_on_the_kind(name: str, kinds: tuple[str, ...], severity: Severity) -> None:
    rule = find(name)
    assert {kind.name for kind in all_kinds() if rule.severity_for(kind) is severity} == set(kinds)
    assert rule.severity_for(None) is rule.severity is not severity


@pytest.mark.skipif(not AGREED.exists(), reason="the agreed list of rules is not beside the repository")
def test_rules_are_the_agreed_ones() -> None:
    agreed = {name: (agreed_severity(severity), fixable) for name, severity, fixable in agreed_rows()}
    assert agreed == {
        rule.name: (rule.severity, rule.fixable and rule.name not in REPAIRED) for rule in RULES if rule.name not in OWN
    }


@pytest.mark.skipif(not AGREED.exists(), reason="the agreed list of rules is not beside the repository")
def test_codes_follow_the_order_of_the_agreed_list() -> None:
    place = {name: number for number, (name, _, _) in enumerate(agreed_rows())}
    for stage in {rule.code[:4] for rule in RULES}:
        of_stage = [rule for rule in RULES if rule.code.startswith(stage)]
        assert [rule.code[4:] for rule in of_stage] == [f"{number:02}" for number in range(1, len(of_stage) + 1)]
        places = [place[rule.name] for rule in of_stage if rule.name not in LATER | OWN]
        assert places == sorted(places)


@each_rule
def test_find_knows_codes_and_names_in_any_case(rule: Rule) -> None:
    assert find(rule.code.lower()) is rule
    assert find(f" {rule.name.upper()} ") is rule


def test_missing_id_keeps_its_published_code() -> None:
    assert find("RUN401").name == "missing-id"


@pytest.mark.parametrize(
    ("word", "nearest"), [("span-cut-word", "span-cuts-word"), ("RUN4O1", "RUN401"), ("dublicate-id", "duplicate-id")]
)
def test_find_suggests_the_nearest_rule(word: str, nearest: str) -> None:
    with pytest.raises(UnknownRuleError, match=nearest):
        find(word)


def test_find_answers_even_a_word_like_no_rule() -> None:
    with pytest.raises(UnknownRuleError, match="there is no rule ''; see `sharedtask rules` for all of them"):
        find("")


def test_catalogue_does_not_load_the_engines() -> None:
    code = "import sys, sharedtask.schemas.rules.catalogue; sys.exit(bool({'polars', 'pandera'} & set(sys.modules)))"
    root = Path(__file__).resolve().parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0
