"""Published figures, as context for a score: where it would stand among them, never what it would be on the hidden
test.

Only figures that our notes can place are here: tables and abstracts of papers, participants' READMEs and slides. Each
says on which data it was measured. None of that data's labels is public, so no score computed by a user can be ranked
among them.
"""

from dataclasses import dataclass

from sharedtask.pipelines.results.score_results import Score


@dataclass(frozen=True, slots=True)
class Figure:
    """One published value: a fraction, whose it is, on which data it was measured, and where it is published."""

    value: float
    system: str
    data: str
    source: str


@dataclass(frozen=True, slots=True)
class Published:
    """The published figures of one score of one kind of run, and what to say beside them."""

    score: str
    title: str
    figures: tuple[Figure, ...]
    remarks: tuple[str, ...] = ()


_TEST_70, _TEST_30 = "70 % of the hidden test", "30 % of the hidden test"
_PUBLIC, _PRIVATE = "public test", "private test"
_KFLOEG = "KFloeg paper, Table 2"
_TABLE_3 = "ReINTEL paper, Table 3"

PUBLISHED: dict[str, Published] = {
    "flares/subtask1-run": Published(
        "f1",
        "F1",
        (
            Figure(0.66544, "K-adapter with a knowledge graph (winner)", _TEST_70, _KFLOEG),
            Figure(0.65957, "K-adapter with a knowledge graph (winner)", _TEST_30, _KFLOEG),
            Figure(0.6109478324761205, "Mistral-7B", "20 % of train, held out", "DCY1117/llm-flares"),
            Figure(0.6107829, "Mistral-7B, 8 bit", "20 % of train, held out", "DCY1117/llm-flares"),
            Figure(0.543, "FLAN-T5-XXL", "hidden test", "CEUR Vol-3756 FLARES paper 3, abstract"),
            Figure(0.5004167, "Llama3-8B", "20 % of train, held out", "DCY1117/llm-flares"),
            Figure(0.40070, "K-adapter with Wikidata", _TEST_70, _KFLOEG),
            Figure(0.39649, "K-adapter with Wikidata", _TEST_30, _KFLOEG),
            Figure(0.39578, "K-adapter with Wikidata, 12 epochs", _TEST_30, _KFLOEG),
            Figure(0.39572, "K-adapter with Wikidata, 12 epochs", _TEST_70, _KFLOEG),
        ),
        ("Scored on the trial file the figures mean little: its texts are all in train.",),
    ),
    "flares/subtask2-run": Published(
        "f1_macro",
        "Macro F1",
        (
            Figure(0.30585, "Mistral-7B (4th)", _TEST_30, "KFloeg slides, p. 15"),
            Figure(0.29063, "Mistral-7B (4th)", _TEST_70, "KFloeg slides, p. 15"),
        ),
        ("Floor: the answer confiable everywhere scores 0.27153 on train.",),
    ),
    "cheers/run": Published(
        "HumImpact",
        "HumImpact",
        (),
        (
            "No results of CHEERS were published, only a sample output for a random baseline on val: F1 49.92 %, "
            "accuracy 44.57 %, HumImpact 47.24 %.",
            "44.57 % is not a target: the script of that day ignored the predicted sectors, so it is a constant "
            "of the labels (legacy-2021-03). Scored as documented, a random run on val has "
            "an accuracy of about 0.127 and a HumImpact of about 0.31.",
        ),
    ),
    "reintel/run": Published(
        "roc_auc",
        "ROC-AUC",
        (
            Figure(0.9521, "Kurtosis", _PRIVATE, _TABLE_3),
            Figure(0.9462, "SunBear", _PRIVATE, _TABLE_3),
            Figure(0.9452, "uit_kt", _PRIVATE, _TABLE_3),
            Figure(0.9449, "Toyo-Aime", _PRIVATE, f"{_TABLE_3}; 0.9445 in arXiv 2012.10267"),
            Figure(0.9378, "ZaloTeam", _PRIVATE, _TABLE_3),
            Figure(0.9360, "NLP_BK", _PUBLIC, f"{_TABLE_3}; 0.9392 in arXiv 2101.12672"),
        ),
        ("Highest overall in Table 5: 0.9474, the plain mean of the highest value of either phase.",),
    ),
}


def context(kind: str, score: Score) -> list[str]:
    """Lines on where the score would stand among the published figures of this kind of run, with the warning that goes
    with it.

    Empty for a kind without figures. Where the score is undefined only the remarks are given.
    """
    published = PUBLISHED.get(kind)
    if published is None:
        return []
    value = score.scores.get(published.score)
    if value is None or not published.figures:
        return list(published.remarks)
    ranked = sorted(published.figures, key=lambda figure: figure.value, reverse=True)
    above = [figure for figure in ranked if figure.value > value]
    below = [figure for figure in ranked if figure.value <= value]
    places = [f"above {_named(below[0])}"] if below else []
    places += [f"below {_named(above[-1])}"] if above else []
    return [
        f"{published.title} {value:.4f} would stand {' and '.join(places)}.",
        "This is not a result on the hidden test: the figures were measured on data whose labels are not public.",
        *published.remarks,
    ]


def _named(figure: Figure) -> str:
    return f"{figure.system}, {figure.value:.4g} on the {figure.data} ({figure.source})"
