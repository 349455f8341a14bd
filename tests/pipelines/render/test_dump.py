"""JSON that any reader takes, whatever it holds."""

import json

import pytest

from sharedtask.pipelines.render.dump import dump


@pytest.mark.parametrize(
    "data", [{"seed": 10**25}, {"name": "a\ud800"}, {"text": "\x9b1m\u202e##[x]\x1b"}, [1, None, 0.5]]
)
@pytest.mark.parametrize("indented", [True, False])
def test_what_is_dumped_is_read_back_and_acts_on_no_terminal(data: object, indented: bool) -> None:
    text = dump(data, indented=indented)
    assert json.loads(text) == data
    assert text.endswith("\n")
    assert not {"\x9b", "\u202e", "\x1b", "\ud800"} & set(text)
    assert "##[" not in text
