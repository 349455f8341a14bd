"""How the runner of GitHub Actions reads a log: which lines it obeys (actions/runner, `ActionCommand.cs`)."""

import re
from typing import NamedTuple

REGISTERED = {
    "add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher", "save-state",
    "set-env", "set-output", "stop-commands", "warning",
}  # fmt: skip


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    data: str


def lines(log: str) -> list[str]:
    """The lines of a log; any of CR, LF and CRLF ends one."""
    return [line for line in re.split(r"\r\n|\r|\n", log) if line]


def command(line: str) -> Command | None:
    """The command that a line is, in the new form at its start or in the old form anywhere."""
    if new := re.fullmatch(r"::(.*?)::(.*)", line.lstrip(), re.DOTALL):
        name, _, rest = new[1].partition(" ")
        if name.lower() in REGISTERED:
            pairs = [pair.split("=", 1) for pair in rest.strip().split(",") if "=" in pair]
            return Command(name, {key: _unescaped(value) for key, value in pairs}, _unescaped(new[2]))
    if old := re.search(r"##\[([^\] ]*)[^\]]*\](.*)", line, re.DOTALL):
        return Command(old[1], {}, old[2]) if old[1].lower() in REGISTERED else None
    return None


def _unescaped(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text
