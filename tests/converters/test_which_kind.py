"""A file of no known kind: the message shows its columns and the nearest kind."""

from pathlib import Path

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.validate import validate


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "doc,sent_id,is_relevant,sector\n7,0,1,1\n",
            "x.csv: the columns (doc, sent_id, is_relevant, sector) match no known kind; "
            "nearest: cheers/sentences; use --kind",
        ),
        ("foo,num_emoji\n1,2\n", "x.csv: the columns (foo, num_emoji) match no known kind; use --kind"),
        (
            ",".join(f"c{number}" for number in range(20)) + "\n",
            "x.csv: the columns (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, …) match no known kind; use --kind",
        ),
        ("x" * 60 + ",b\n", f"x.csv: the columns ({'x' * 40}…, b) match no known kind; use --kind"),
        ("[1, 2]\n", "x.csv: the file has no columns that match a known kind; use --kind"),
    ],
)
def test_what_is_said_of_an_unknown_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(content, encoding="utf-8")
    with pytest.raises(UnusableError) as error:
        validate(["x.csv"])
    assert str(error.value) == message
