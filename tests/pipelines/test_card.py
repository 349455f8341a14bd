"""The card of a folder: what it tells is true, programs accept it, and it touches nothing but its own two files."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sharedtask.converters.errors import UnusableError
from sharedtask.pipelines.verbs.card import card
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.splits import splits_make

TASKS = ("flares", "cheers", "reintel")
MLCROISSANT = shutil.which("mlcroissant", path=str(Path(sys.executable).parent)) or shutil.which("mlcroissant")


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def croissant_of(folder: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((folder / "croissant.json").read_text(encoding="utf-8"))
    return told


@pytest.mark.parametrize("task", TASKS)
def test_card_describes_every_file_and_touches_none(task: str, tmp_path: Path) -> None:
    sample(task, tmp_path, rows=30)
    before = digests(tmp_path)
    written = card(tmp_path, name="A release", licence="cc-by-4.0", url="https://example.org/release")
    assert [path.name for path in written] == ["README.md", "croissant.json"]
    assert {name: digest for name, digest in digests(tmp_path).items() if name in before} == before
    told = croissant_of(tmp_path)
    assert {one["@id"]: one["sha256"] for one in told["distribution"]} == before
    assert told["license"] == "cc-by-4.0"
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert all(f"<code>{name}</code>" in text for name in before)
    first = digests(tmp_path)
    card(tmp_path, name="A release", licence="cc-by-4.0", url="https://example.org/release")
    assert digests(tmp_path) == first


@pytest.mark.skipif(MLCROISSANT is None, reason="mlcroissant is not installed")
@pytest.mark.parametrize("task", TASKS)
def test_mlcroissant_accepts_the_card(task: str, tmp_path: Path) -> None:
    sample(task, tmp_path, rows=30)
    card(tmp_path, licence="cc-by-4.0", url="https://example.org/release")
    assert MLCROISSANT is not None
    call = [MLCROISSANT, "validate", "--jsonld", str(tmp_path / "croissant.json")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "error(s)" not in done.stderr


@pytest.mark.skipif(MLCROISSANT is None, reason="mlcroissant is not installed")
def test_mlcroissant_reads_the_records(tmp_path: Path) -> None:
    sample("cheers", tmp_path, rows=30)
    card(tmp_path, licence="cc-by-4.0", url="https://example.org/release")
    code = (
        "import itertools, sys, mlcroissant\n"
        "records = mlcroissant.Dataset(jsonld=sys.argv[1]).records(record_set='run_en_val.csv-records')\n"
        "print([sorted(one) for one in itertools.islice(records, 1)])"
    )
    call = [sys.executable, "-c", code, str(tmp_path / "croissant.json")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert "run_en_val.csv-records/sector_id" in done.stdout, done.stderr[-2000:]


def test_statistics_are_those_of_the_file(tmp_path: Path) -> None:
    tags = [
        {"Tag_Start": 0, "Tag_End": 9, "5W1H_Label": "WHEN", "Reliability_Label": "confiable"},
        {"Tag_Start": 10, "Tag_End": 22, "5W1H_Label": "WHO", "Reliability_Label": "confiable"},
        {"Tag_Start": 23, "Tag_End": 39, "5W1H_Label": "WHO", "Reliability_Label": "no confiable"},
    ]
    records = [
        {"Id": 1, "Text": "El martes las maestras recibieron mapas.", "Tags": tags},
        {"Id": 2, "Text": "Nada.", "Tags": []},
    ]
    file = tmp_path / "5w1h_subtarea_1_train.json"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    card(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| `Text` | 5 | 22 | 22.5 | 40 |" in text or "| `Text` | 5 | 23 | 22.5 | 40 |" in text
    assert re.search(r"\| WHO \| 2 \| 66\.7 % \| <svg [^|]*width=\"120\" height=\"10\" fill", text)
    assert re.search(r"\| WHEN \| 1 \| 33\.3 % \| <svg [^|]*<rect width=\"60\"", text)
    assert f"| <code>{file.name}</code> | flares/subtask1 | 2 | 3 |" in text
    assert 'language: ["es"]' in text
    assert '"split":"train","path":["5w1h_subtarea_1_train.json"]' in text


def test_empty_cells_and_dates_are_told(tmp_path: Path) -> None:
    header = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,label"
    rows = [
        f"{number},{number:032x},{text},{time},3,,1,{number % 2}"
        for number, text, time in ((1, "Một hai ba", 1586084407), (2, "", 1593000000))
    ]
    (tmp_path / "public_train.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    card(tmp_path)
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "`timestamp_post` from 2020-04-05 to 2020-06-24." in text
    assert re.search(r"\| `post_message` \| .* \| 1 \|", text)
    assert re.search(r"\| `num_comment_post` \| .* \| 2 \|", text)


def test_a_card_of_somebody_else_stays(tmp_path: Path) -> None:
    sample("reintel", tmp_path, rows=10)
    (tmp_path / "README.md").write_text("# Mine\n", encoding="utf-8")
    with pytest.raises(UnusableError, match="--force"):
        card(tmp_path)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "# Mine\n"
    assert not (tmp_path / "croissant.json").exists()
    card(tmp_path, force=True)
    assert "# Mine" not in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_names_of_files_have_no_effect_in_the_card(tmp_path: Path) -> None:
    odd = tmp_path / "a <b>|`c`: {d}.csv"
    odd.write_text("doc_id,sentence_id,is_relevant,sector_id\n1,0,0,-1\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no data\n", encoding="utf-8")
    card(tmp_path, name="x: [y]\n---\n# z")
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "<b>" not in text
    assert text.count("\n---\n") == 1
    assert {one["@id"] for one in croissant_of(tmp_path)["distribution"]} == {odd.name, "notes.txt"}


def test_parts_of_a_split_make_a_card(tmp_path: Path) -> None:
    sample("cheers", tmp_path / "raw", rows=100)
    splits_make(tmp_path / "raw" / "sentences_en_train.csv", tmp_path / "parts", sizes="train=.7,test=.3", seed=1)
    card(tmp_path / "parts")
    text = (tmp_path / "parts" / "README.md").read_text(encoding="utf-8")
    assert '"path":["train.csv"]' in text
    assert "manifest" not in text


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "holds no data file"), ("doc_id,sentence_id,is_relevant,sector_id\n1,0\n", "structure is wrong")],
)
def test_what_has_no_card(content: str | None, told: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "run.csv").write_text(content, encoding="utf-8")
    with pytest.raises(UnusableError, match=told):
        card(tmp_path)
    assert not (tmp_path / "README.md").exists()
    with pytest.raises(UnusableError, match="is not a folder"):
        card(tmp_path / "nowhere")
