"""Commands take `s3://` where they take files."""

import json
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from sharedtask.converters.storage import open_folder
from sharedtask.pipelines.cli import cli

SENTENCES = b"""doc_id,sentence_id,sentence_text,is_relevant,sector_ids
50311,0,Two boreholes were drilled for the host community.,1,[10]
50311,1,The office moves to another street next week.,0,[]
"""


def test_validate(bucket: str) -> None:
    url = f"{bucket}/in/sentences_en_val.csv"
    open_folder(bucket, Path()).put_bytes("in/sentences_en_val.csv", SENTENCES)
    done = CliRunner().invoke(cli, ["validate", url, "--format", "json"])
    report = json.loads(done.stdout)
    assert (done.exit_code, report["ok"]) == (0, True)
    assert [(one["path"], one["kind"], one["bytes"]) for one in report["inputs"]] == [
        (url, "cheers/sentences", len(SENTENCES))
    ]


def test_convert(bucket: str, tmp_path: Path) -> None:
    open_folder(bucket, Path()).put_bytes("in/sentences_en_val.csv", SENTENCES)
    done = CliRunner().invoke(cli, ["convert", f"{bucket}/in/sentences_en_val.csv", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "sentences_en_val.parquet").is_file()


def test_a_url_that_cannot_be_read_is_one_line_and_status_2(bucket: str) -> None:
    for url, told in {
        f"{bucket}/absent.csv": "cannot be read: there is no such object",
        "gs://bucket/a.csv": "gs:// is not supported; local paths and s3:// are",
    }.items():
        command = [sys.executable, "-c", "from sharedtask.pipelines.cli import main; main()", "validate", url]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [f"sharedtask: {url}: {told}"]
