"""Every rule's own example: the wrong file breaks the rule, the right one does not."""

from pathlib import Path

import pytest

from sharedtask.pipelines.tasks import all_kinds
from sharedtask.pipelines.verbs.fix import fix
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.rule import Rule
from sharedtask.schemas.rules.catalogue import RULES, find

# Rules between a file and the one that belongs to it: `against` is the file for `--with`.
WITH_FILE = {"orphan-sentence", "document-without-sentence"}

# Rules that another verb judges, since they need a second file or a choice that `validate` does not have.
BY_CHECK = {
    *(rule.name for rule in RULES if rule.code.startswith("FLA5")),  # causes: offsets against the text of the reference
    "span-out-of-bounds",  # the example is a run, and its text stands in the reference
    "span-edge-whitespace",
    "span-cuts-word",
    "sector-unseen-in-reference",
    "not-upload-form",
    "missing-id",
    "unknown-id",
    "order-differs",
    "no-common-id",
    "wrong-split",
    "row-index-instead-of-id",
    "text-differs",
}
BY_SPLITS_CHECK = {rule.name for rule in RULES if rule.code.startswith("SPL")}
BY_SCORE = {"single-class"}
BY_DERIVE = {"label-undetermined"}
BY_FIX = {rule.name for rule in RULES if rule.code.startswith("FLA4")}  # what `fix --place` was asked to find
ELSEWHERE = BY_CHECK | BY_SPLITS_CHECK | BY_SCORE | BY_DERIVE | BY_FIX

KINDS = {kind.name for kind in all_kinds()}


def is_judged_here(rule: Rule) -> bool:
    """Whether there is an example, of a kind that the tool knows, that `validate` judges."""
    return rule.example is not None and rule.example.kind in KINDS and rule.name not in ELSEWHERE


def broken(rule: Rule, content: str | bytes, folder: Path) -> dict[str, int]:
    """The rules that a file of the example breaks, with their counts."""
    example = rule.example
    assert example is not None
    beside = []
    if rule.name in WITH_FILE:
        beside = [folder / "beside" / example.against_name]
        beside[0].parent.mkdir(exist_ok=True)
        beside[0].write_text(example.against, encoding="utf-8", newline="")
    path = folder / example.name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    report = validate([path], kind=example.kind, with_files=beside)
    return {one.rule.name: one.count for one in report.rules()}


@pytest.mark.parametrize("rule", [rule for rule in RULES if is_judged_here(rule)], ids=lambda rule: rule.name)
def test_example(rule: Rule, tmp_path: Path) -> None:
    assert rule.example is not None
    assert rule.name in broken(rule, rule.example.wrong, tmp_path)
    assert broken(rule, rule.example.right, tmp_path) == {}


@pytest.mark.parametrize("name", sorted(ELSEWHERE - BY_SCORE - BY_DERIVE))
def test_what_another_verb_judges_has_a_second_file(name: str) -> None:
    example = find(name).example
    assert example is not None
    assert example.against


@pytest.mark.parametrize("name", sorted(BY_FIX))
def test_what_fix_reports_of_texts_is_in_its_example(name: str, tmp_path: Path) -> None:
    example = find(name).example
    assert example is not None
    (tmp_path / example.against_name).write_text(example.against, encoding="utf-8", newline="")
    left = {}
    for content in (example.wrong, example.right):
        (tmp_path / example.name).write_text(str(content), encoding="utf-8", newline="")
        done = fix(tmp_path / example.name, tmp_path / example.against_name, tmp_path / "fixed.csv", place="exact")
        left[content] = {one.rule.name for one in done.report.rules()}
    assert name in left[example.wrong]
    assert not left[example.right]
