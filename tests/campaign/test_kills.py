"""A few of the points at which commands are killed; `python -m tests.campaign.kills` tries many."""

from pathlib import Path

from tests.campaign.kill_works import works
from tests.campaign.kills import all_broken
from tests.seaweed import Seaweed


def test_what_a_killed_command_leaves_is_whole_and_the_next_call_completes_it(
    tmp_path: Path, s3_server: Seaweed, s3_environment: None
) -> None:
    tried = dict(all_broken(works(tmp_path, s3_server), 12, 2))
    assert {point: why for point, why in tried.items() if why is not None} == {}
