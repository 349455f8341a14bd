"""The parts of the campaign: planted faults are found, made small and written; the same seed makes the same inputs."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.campaign.campaign import Campaign, Settings, State
from tests.campaign.draw import draw
from tests.campaign.failures import Failure, signature, write_case
from tests.campaign.formats import unequal
from tests.campaign.invariants import EVERY_CALL
from tests.campaign.material import Material
from tests.campaign.minimise import minimised
from tests.campaign.mutations import FAMILIES, mutate
from tests.campaign.packing import OF_CSV, OF_LINES, OF_TEXT, pack
from tests.campaign.planted import MARK
from tests.campaign.trial import File, Trial
from tests.campaign.workers import CALL_SECONDS, Lane

LABELS = b"id,label\n1,1\n2,0\n3,1\n"
SENTENCES = b"doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n1,0,It is dry.,0,[]\n1,1,It is open.,0,[]\n"
POISONED = LABELS + b"4,1\n" * 3 + b"5," + MARK + b"\n6,1\n"


def trial_of(*args: str, invariant: str = EVERY_CALL, **files: bytes) -> Trial:
    named = {name.replace("_", "."): File(content) for name, content in files.items()}
    return Trial(1, 2, "reintel/labels", "csv", args[0], invariant, args, named, next(iter(named)))


@pytest.fixture
def lane(campaign_material: Path, request: pytest.FixtureRequest) -> Iterator[Lane]:
    """Workers with the fault that the test names."""
    lane = Lane(campaign_material, [request.param], seconds=0.5 if request.param == "sleeps" else CALL_SECONDS)
    yield lane
    lane.close()


@pytest.mark.parametrize(
    ("lane", "invariant", "told"),
    [
        ("raises", "one line", "internal error, please report it: ZeroDivisionError"),
        ("dies", "crash", "the process ended with status -6"),
        ("warns", "one line", "UserWarning: old"),
        ("writes_beside", "untouched", "work/stray appeared"),
        ("spoils_its_input", "untouched", "work/labels.csv was changed"),
        ("takes_memory", "memory", "MB"),
    ],
    indirect=["lane"],
)
def test_a_planted_fault_is_found(lane: Lane, invariant: str, told: str) -> None:
    assert lane.try_trial(trial_of("validate", "labels.csv", labels_csv=LABELS)).broken == ()
    found = lane.try_trial(trial_of("validate", "labels.csv", labels_csv=POISONED)).broken
    assert found[0].invariant == invariant
    assert told in found[0].message


@pytest.mark.parametrize("lane", ["sleeps"], indirect=True)
def test_a_call_that_never_ends_is_ended_and_the_next_one_runs(lane: Lane) -> None:
    assert lane.try_trial(trial_of("validate", "labels.csv", labels_csv=LABELS)).broken == ()
    assert lane.try_trial(trial_of("validate", "labels.csv", labels_csv=POISONED)).broken[0].invariant == "time"
    assert lane.try_trial(trial_of("validate", "labels.csv", labels_csv=LABELS)).broken == ()


@pytest.mark.parametrize(
    ("lane", "trial", "told"),
    [
        (
            "hides",
            trial_of(
                *("fix", "run.csv", "--against", "val.csv", "--out", "out/fixed.csv"),
                invariant="fix hides nothing",
                run_csv=b"doc_id,sentence_id,is_relevant,sector_id\n1,0,0,\n1,1,x,\n",
                val_csv=SENTENCES,
            ),
            "neither repaired nor reported",
        ),
        (
            "miscounts",
            trial_of("validate", "labels.csv", invariant="formats", labels_csv=LABELS + b"4,x\n"),
            "jsonl: 0 findings",
        ),
    ],
    indirect=["lane"],
    ids=["hides", "miscounts"],
)
def test_what_only_several_calls_show_is_found(lane: Lane, trial: Trial, told: str) -> None:
    found = lane.try_trial(trial).broken
    assert [one.invariant for one in found] == [trial.invariant]
    assert told in found[0].message


@pytest.mark.parametrize("lane", ["raises"], indirect=True)
def test_a_failure_is_made_small_and_written_as_a_case(lane: Lane, tmp_path: Path) -> None:
    trial = trial_of("validate", "labels.csv", labels_csv=POISONED, other_csv=b"id\n")
    broken = lane.try_trial(trial).broken[0]
    assert broken.place == "ZeroDivisionError in files.validate"
    name = signature(broken, trial.verb, trial.kind)

    def fails(smaller: Trial) -> bool:
        return [signature(one, trial.verb, trial.kind) for one in lane.try_trial(smaller).broken] == [name]

    small = minimised(trial, fails)
    assert {file: content.data for file, content in small.files.items()} == {"labels.csv": MARK}
    failure = Failure(broken.invariant, broken.place, broken.message, 1, 2, trial.verb, trial.kind, trial.container)
    folder = write_case(tmp_path, small, failure)
    assert (folder / "labels.csv").read_bytes() == MARK
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert expected["args"] == ["validate", "labels.csv"]
    assert "ZeroDivisionError" in expected["broken"]["message"]
    assert "seed 1 number 2" in failure.line()


def test_the_same_seed_makes_the_same_inputs(campaign_material: Path) -> None:
    material = Material.load(campaign_material)
    first = [draw(material, 5, number) for number in range(150)]
    assert first == [draw(material, 5, number) for number in range(150)]
    assert first != [draw(material, 6, number) for number in range(150)]
    for trial in first:
        assert Trial.from_json(json.loads(json.dumps(trial.to_json()))) == trial
        assert trial.files[trial.target].data == trial.files[trial.target].data
        assert (
            trial.target in trial.args
            or trial.verb in ("job", "card", "settings")
            or trial.target.endswith((".txt", ".ann"))
        )


def test_a_campaign_that_was_interrupted_comes_to_the_same(campaign_material: Path, tmp_path: Path) -> None:
    def campaign(inputs: int, state: Path, workers: int) -> State:
        return Campaign(Settings(3, inputs, workers=workers, state=state, material=campaign_material)).run()

    whole = campaign(14, tmp_path / "whole.json", 1)
    campaign(5, tmp_path / "parts.json", 1)
    assert State.load(tmp_path / "parts.json", 3).next == 5
    parts = campaign(14, tmp_path / "parts.json", 2)
    assert replace(parts, seconds=0) == replace(whole, seconds=0)
    assert sum(whole.covered.values()) == 14
    with pytest.raises(ValueError, match="seed 3"):
        State.load(tmp_path / "whole.json", 4)


@pytest.mark.parametrize("container", [*OF_TEXT, *OF_CSV, *OF_LINES])
def test_a_container_has_the_same_bytes_each_time(container: str) -> None:
    content = b'{"id": 1, "x": [1]}\n{"id": "a"}\n' if container in OF_LINES else b'id,text\n1,"a, b"\n2,\xff\n'
    assert pack(content, container, "a.csv") == pack(content, container, "a.csv") != content
    for damaged in (b"", b"\0", b'"', b"a,a\n1", b"\xed\xa0\x80\n"):
        assert isinstance(pack(damaged, container, "a.csv"), bytes)


@pytest.mark.parametrize("form", FAMILIES)
def test_every_mutation_takes_any_bytes(form: str) -> None:
    from random import Random

    contents = (b"", b"\n", b"a", b"id,label\n1,1\n", b'{"a": [1, "x"]}\n{"a": null}', b"\xff\xfe\0", b'a = "b"\n')
    for content in contents:
        for mutation in FAMILIES[form]:
            for seed in range(3):
                assert mutation(content, Random(seed)) == mutation(content, Random(seed))
    assert len({mutate(contents[3], form, Random(seed))[0] for seed in range(60)}) > 20


def test_formats_that_say_otherwise_are_noticed() -> None:
    report = {
        "rules": [{"name": "bad-value", "severity": "error", "count": 2}],
        "counts": {"error": 2, "warning": 0, "info": 0},
        "reference_counts": {"error": 0, "warning": 0, "info": 0},
        "findings": [{"name": "bad-value"}],
        "failed": True,
    }
    text = "        2 error FMT203 bad-value\n\nfailed: 2 errors\n"
    assert unequal("text", text, report, "validate", quiet=False) == ""
    assert "verdict" in unequal("text", text.replace("2 errors", "1 error"), report, "validate", quiet=False)
    assert "counts" in unequal("text", text.replace("  2 error", "  3 error"), report, "validate", quiet=False)
    assert "command" in unequal("github", "hello\n", report, "validate", quiet=False)
    assert "1 of error" in unequal("github", "::error title=x::y\n", report, "validate", quiet=False)
    assert (
        unequal(
            "github", "::error title=x::y\n::notice title=sharedtask validate::1 error more\n", report, "", quiet=False
        )
        == ""
    )
