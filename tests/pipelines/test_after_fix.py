"""`score` says what the safe repairs of the run would make of it."""

import json
from pathlib import Path

import pytest

from sharedtask.pipelines.render.score import render_score
from sharedtask.pipelines.verbs.fix import fix
from sharedtask.pipelines.verbs.score import score

TEXTS = {
    4: "🔴 Ayer la alcaldesa abrió el puente.",
    9: "🔴🔴 Hoy el coro cantó en Soria.",
    2: "Mañana abre el mercado.",
}
WORDS = {4: ("la alcaldesa", "el puente"), 9: ("el coro", "Soria"), 2: ("el mercado",)}


def tags(key: int, *, utf16: bool = False) -> list[dict[str, object]]:
    text = TEXTS[key]
    places = [(text.index(word), text.index(word) + len(word)) for word in WORDS[key]]
    if utf16:
        places = [tuple(len(text[:at].encode("utf-16-le")) // 2 for at in place) for place in places]  # type: ignore[misc]
    return [{"Tag_Start": start, "Tag_End": end, "5W1H_Label": "WHO"} for start, end in places]


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    records = [{"Id": key, "Text": text, "Tags": tags(key)} for key, text in TEXTS.items()]
    (path := tmp_path / "gold.json").write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


def run_of(gold: Path, text: str) -> Path:
    (path := gold.parent / "run.csv").write_text(text, encoding="utf-8")
    return path


def test_the_scores_after_the_repairs_are_those_of_the_fixed_run(gold: Path) -> None:
    run = run_of(gold, "Id,Tags\n" + "".join(f'{key},"{tags(key, utf16=True)}"\n' for key in TEXTS))
    found = score(run, gold)
    assert found.after_fix is not None
    fix(run, gold, gold.parent / "fixed.csv")
    fixed = score(gold.parent / "fixed.csv", gold)
    assert fixed.score is not None
    assert found.to_dict()["after_fix"] == {
        "scores": fixed.score.scores,
        "repairs": [{"code": "FLA501", "name": "offsets-utf16", "count": 4, "unit": "span", "how": "repaired"}],
    }
    assert fixed.score.scores["f1"] == 1
    assert fixed.after_fix is None
    text = render_score(found, "text")
    assert "After the safe repairs of `sharedtask fix`\n" in text
    assert "repairs: offsets-utf16 (4 spans)" in text


def test_a_refusal_says_what_the_repairs_would_give(gold: Path) -> None:
    """The official-verbatim scorer refuses the form of the page, which `fix` converts."""
    good = "Id,Tags\n" + "".join(f'{key},"{tags(key)}"\n' for key in TEXTS)
    run = run_of(gold, good.replace("Tag_Start", "start").replace("Tag_End", "end").replace("5W1H_Label", "tag"))
    assert score(run, gold).after_fix is not None
    run = run_of(gold, good.replace("\n2,", "\n2;").replace(",", ";"))
    assert score(run, gold).after_fix is not None


def test_there_is_nothing_to_say_where_no_error_can_be_repaired(gold: Path) -> None:
    run = run_of(gold, "Id,Tags\n" + "".join(f'{key},"{tags(key)}"\n' for key in TEXTS).replace("WHO", "WHOM"))
    found = score(run, gold)
    assert found.after_fix is None
    assert "after_fix" not in found.to_dict()
