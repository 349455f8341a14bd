"""The notes on a score: errors beside it, a run that seems turned round or a copy, labels wrong for their spelling."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sharedtask.pipelines.results.score_results import Score
from sharedtask.pipelines.verbs.compare import compare
from sharedtask.pipelines.verbs.score import score

Put = Callable[[str, str], Path]

LABELS = "id,label\n901,0\n902,1\n903,0\n904,1\n"
RIGHT, INVERTED = "901,0.1\n902,0.8\n903,0.2\n904,0.9\n", "901,0.9\n902,0.2\n903,0.8\n904,0.1\n"
HEAD = "doc_id,sentence_id,is_relevant,"
SENTENCES = HEAD + 'sector_ids\n50,0,1,[4]\n50,1,0,[]\n50,2,1,"[2, 4]"\n51,0,0,[]\n'
SAME = HEAD + "sector_id\n50,0,1,4\n50,1,0,-1\n50,2,1,2\n51,0,0,-1\n"
EXCHANGED = HEAD + "sector_id\n50,0,0,-1\n50,1,1,4\n50,2,0,-1\n51,0,1,4\n"
CLASSES = "Id,Reliability_Label\n1,confiable\n2,semiconfiable\n3,confiable\n"
_WHAT, _WHO, _WHEN = (
    f'{{"Tag_Start":{low},"Tag_End":{high},"5W1H_Label":"{label}","Reliability_Label":"confiable"}}'
    for low, high, label in ((0, 5, "WHAT"), (6, 15, "WHO"), (0, 4, "WHEN"))
)
GOLD = (
    f'{{"Id":7,"Text":"Cerró el puente","Tags":[{_WHAT},{_WHO}]}}\n{{"Id":3,"Text":"Ayer no hubo","Tags":[{_WHEN}]}}\n'
)
COPY = "The run may be a copy of the gold."
SPELLING = "only by case or white space"


def spans(*rows: tuple[int, list[tuple[int, int, str]]]) -> str:
    cells = [
        (
            key,
            ", ".join(
                f"{{'Tag_Start': {low}, 'Tag_End': {high}, '5W1H_Label': '{label}'}}" for low, high, label in tags
            ),
        )
        for key, tags in rows
    ]
    return "Id,Tags\n" + "".join(f'{key},"[{cell}]"\n' for key, cell in cells)


SPANS = spans((7, [(0, 5, "WHAT"), (6, 15, "WHO")]), (3, [(0, 4, "WHEN")]))


def notes_of(put: Put, run: str, gold: str, scorer: str | None = None) -> list[str]:
    name = "gold.json" if gold.startswith("{") else "gold.csv"
    found = score(put("results.csv", run), put(name, gold), scorer=scorer).score
    assert isinstance(found, Score)
    return list(found.notes)


def test_an_auc_of_0_says_what_1_minus_p_gives(put: Put) -> None:
    assert notes_of(put, INVERTED, LABELS) == [
        "The AUC is 0: no unreliable post has a higher probability than a reliable one. The probabilities may be those of "
        "the other class (inverted); 1 - p gives an AUC of 1.00000."
    ]


@pytest.mark.parametrize(("wrong", "noted"), [(2, True), (14, False)])
def test_an_auc_far_below_one_half_does_too(put: Put, wrong: int, noted: bool) -> None:
    """A model that is turned round is hardly ever wrong throughout; one that guesses is near one half."""
    labels = "id,label\n" + "".join(f"{key},{key % 2}\n" for key in range(100, 160))
    run = "".join(f"{key},0.{(key % 2 if key < 100 + 2 * wrong else 1 - key % 2) * 5 + 2}\n" for key in range(100, 160))
    notes = notes_of(put, run, labels)
    assert bool(notes) is noted
    assert all("hardly an unreliable post" in note and "1 - p gives" in note for note in notes)


@pytest.mark.parametrize(
    ("run", "gold", "scorer"),
    [
        (RIGHT, LABELS, "roc-auc"),
        (SAME, SENTENCES, "documented"),
        (SAME, SENTENCES, "documented-strict"),
        (SAME, SENTENCES, "legacy-2021-03"),
        (SAME, SENTENCES, "revised-2021-05"),
        (CLASSES, CLASSES, "official"),
        (SPANS, GOLD, "official"),
        (SPANS, GOLD, "official-verbatim"),
        (SPANS, GOLD, "ehealthkd-2020"),
    ],
)
def test_a_perfect_score_may_be_a_copy_of_the_gold(put: Put, run: str, gold: str, scorer: str) -> None:
    assert [note for note in notes_of(put, run, gold, scorer) if COPY in note]


@pytest.mark.parametrize("scorer", ["documented", "documented-strict", "legacy-2021-03", "revised-2021-05"])
def test_a_relevance_f1_of_0_may_be_an_exchange_of_0_and_1(put: Put, scorer: str) -> None:
    notes = notes_of(put, EXCHANGED, SENTENCES, scorer)
    assert notes[-1] == (
        "The relevance F1 is 0: no sentence has the is_relevant of the gold. "
        "0 and 1 may be exchanged: with 1 for 0 and 0 for 1, all are right."
    )


@pytest.mark.parametrize("scorer", ["official", "official-verbatim", "ehealthkd-2020"])
def test_spans_without_one_that_is_right(put: Put, scorer: str) -> None:
    far = spans((7, [(16, 18, "WHAT")]), (3, [(7, 9, "WHO")]))
    swapped = spans((7, [(0, 5, "WHERE"), (6, 15, "WHERE")]), (3, []))
    nothing = spans((7, []), (3, []))
    assert "may be those of another file" in notes_of(put, far, GOLD, scorer)[-1]
    assert "with another label: 2." in notes_of(put, swapped, GOLD, scorer)[-1]
    assert notes_of(put, nothing, GOLD, scorer)[-1] == "The run has no spans, so none of the gold is found."


def test_classes_without_one_that_is_right(put: Put) -> None:
    turned = "Id,Reliability_Label\n1,semiconfiable\n2,confiable\n3,semiconfiable\n"
    assert notes_of(put, turned, CLASSES) == ["The macro F1 is 0: no row has the class of the gold."]


@pytest.mark.parametrize(
    ("run", "gold"),
    [
        (HEAD + "sector_id\n50,0,0,-1\n", HEAD + "sector_ids\n50,0,0,[]\n"),
        ("Id,Reliability_Label\n1,confiable\n", "Id,Reliability_Label\n1,confiable\n"),
        (spans((7, [])), '{"Id":7,"Text":"Ayer","Tags":[]}\n'),
        (spans((7, [(0, 4, "WHEN")])), '{"Id":7,"Text":"Ayer","Tags":[]}\n'),
    ],
    ids=["sentences", "classes", "no spans at all", "a gold without spans"],
)
def test_a_gold_of_one_class_or_none_hints_at_no_copy_and_no_exchange(put: Put, run: str, gold: str) -> None:
    assert not [note for note in notes_of(put, run, gold) if COPY in note or "exchanged" in note or "another" in note]


def test_an_ordinary_score_has_no_such_note(put: Put) -> None:
    assert notes_of(put, "901,0.1\n902,0.8\n903,0.6\n904,0.4\n", LABELS) == []
    assert notes_of(put, SAME.replace("50,1,0,-1", "50,1,1,3"), SENTENCES) == []


@pytest.mark.parametrize("scorer", ["official", "official-verbatim", "ehealthkd-2020"])
def test_labels_of_spans_that_are_wrong_for_their_spelling(put: Put, scorer: str) -> None:
    """One in the place of its gold span, one that only overlaps it; a label that is another one is not counted."""
    run = spans((7, [(0, 5, "What"), (6, 9, " who")]), (3, [(0, 4, "WHERE")]))
    assert [note for note in notes_of(put, run, GOLD, scorer) if SPELLING in note] == [
        "2 labels of the run differ from the gold's only by case or white space and count as wrong: "
        "' who' for 'WHO', 'What' for 'WHAT'."
    ]


def test_classes_that_are_wrong_for_their_spelling(put: Put) -> None:
    run = CLASSES.replace("1,confiable", "1,Confiable")
    assert notes_of(put, run, CLASSES)[-1] == (
        "1 label of the run differs from the gold's only by case or white space and counts as wrong: "
        "'Confiable' for 'confiable'."
    )


def test_a_run_in_the_form_of_the_page_has_no_label_that_is_wrong_for_its_spelling(put: Put) -> None:
    run = "ID,TEXT,TAGS\n3,Ayer no hubo,\"[{'start': 0, 'end': 4, 'tag': 'When'}]\"\n"
    assert not [note for note in notes_of(put, run, GOLD) if SPELLING in note]


def test_errors_beside_a_score_are_one_note_the_most_frequent_rule_first(put: Put) -> None:
    run = spans((7, [(0, 5, "WHATEVER"), (6, 99, "WHO")]), (3, [(0, 90, "WHEN")]))
    assert notes_of(put, run, GOLD)[0] == (
        "The run has 3 errors: 2 span-out-of-bounds, 1 unknown-label; run `sharedtask check`."
    )
    assert not [note for note in notes_of(put, SPANS, GOLD) if "sharedtask check" in note]


def test_a_comparison_has_the_notes_of_each_run(put: Put) -> None:
    found = compare(put("a.csv", RIGHT), put("b.csv", INVERTED + "\n"), put("gold.csv", LABELS))
    assert found.scores is not None
    first, second = (score.notes for score in found.scores)
    assert [COPY in note for note in first] == [True]
    assert ["The AUC is 0" in note for note in second] == [True]
