"""A part of the campaign that every run of the suite takes: always the same inputs, counted and not timed."""

from pathlib import Path

from tests.campaign.campaign import Campaign, Settings
from tests.campaign.coverage import render

INPUTS = 500  # a minute of work of one processor
SEED = 20


def test_damaged_files_break_no_promise(campaign_material: Path, tmp_path: Path) -> None:
    settings = Settings(SEED, INPUTS, workers=2, material=campaign_material, failures=tmp_path / "failures")
    state = Campaign(settings).run()
    print(render(state))
    assert [one.line() for one in state.failures.values()] == []
    assert state.next == INPUTS
