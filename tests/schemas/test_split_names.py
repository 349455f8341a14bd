"""The split that a file name means; jobs, cards and the rules of CHEERS all ask here."""

import pytest

from sharedtask.schemas.split_names import split_of


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("sentences_en_val.csv", "val"),
        ("sentences_en_VALIDATION.csv.gz", "val"),
        ("5w1h_subtarea_1_train.json", "train"),
        ("5w1h-subtask-2-trial.json", "trial"),
        ("dev.csv", "dev"),
        ("public_test.csv", "test"),
        ("warmup_data.csv", "warmup"),
        ("train_2.csv", "train"),
        ("train2.csv", "train"),
        ("train_of_the_test.csv", "test"),
        ("contest.csv", None),
        ("latest_values.csv", None),
        ("warm-up.csv", "warmup"),
        ("ñtest.csv", None),
        ("results.csv", None),
        ("", None),
    ],
)
def test_split_of(name: str, split: str | None) -> None:
    assert split_of(name) == split
