"""The pages that are made from the code are fresh, and what README promises is there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sharedtask.pipelines.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
GENERATE = ROOT / "docs" / "generate.py"
PAGES = ("cli.md", "rules.md", "schemas.md")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def generate(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, GENERATE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_generated_pages_are_fresh() -> None:
    done = generate("--check")
    assert done.returncode == 0, done.stderr


def test_check_names_the_stale_page(tmp_path: Path) -> None:
    assert generate("--out", tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(PAGES)
    with (tmp_path / "rules.md").open("a", encoding="utf-8") as page:
        page.write("more\n")
    (tmp_path / "cli.md").unlink()
    done = generate("--check", "--out", tmp_path)
    assert done.returncode == 1
    assert "rules.md" in done.stderr
    assert "cli.md" in done.stderr
    assert "schemas.md" not in done.stderr


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "data/README.md", *(f"docs/{page}" for page in PAGES)]
)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)]+)\)", prose):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        linked = (ROOT / page).parent / name if name else ROOT / page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked.read_text(encoding="utf-8")), target


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands_of_readme() -> list[str]:
    """The lines of README that are meant to be typed in a fresh clone: each makes its own environment."""
    return [line for line in README.splitlines() if line.startswith("python3 -m venv ")]


def test_readme_gives_the_two_commands() -> None:
    job, tests = commands_of_readme()
    assert "sharedtask sample" in job
    assert "pytest" in tests
    assert tests in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_readme_lists_every_command() -> None:
    section = README.partition("## Commands")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(\w+)", section, flags=re.MULTILINE)) == sorted(COMMANDS)


def test_readme_is_short() -> None:
    assert README.count("\n") <= 150


def test_readme_shows_what_the_tool_prints() -> None:
    """The transcript on the first screen, run again."""
    (block,) = re.findall(r"^```console\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)
    command, _, told = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "sharedtask"
    call = [str(Path(sys.executable).with_name(program)), *arguments]
    done = subprocess.run(
        call, cwd=ROOT / "docs" / "example", capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout == told


def test_the_batch_of_the_page_on_jobs_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/jobs.md").read_text("utf-8"), re.DOTALL)
    (example,) = [block for block in blocks if "judge_batch" in block]
    names: dict[str, Any] = {}
    exec(example, names)
    judged = names["judged"]
    assert judged.violations.select("row", "rule").rows() == [(1, "relevance-not-binary")]
    assert judged.sketch.findings()["rule"].to_list() == ["duplicate-key"]
    twice = judged.sketch.merge(judged.sketch).findings()
    assert set(twice["rule"]) == {"duplicate-key", "split-document"}
