"""What `convert` writes, in each of its containers, is read back to the same table without a finding."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from sharedtask.pipelines.inputs.canonical_output import Form
from sharedtask.pipelines.tasks import TASKS, all_kinds
from sharedtask.pipelines.verbs.convert import convert
from sharedtask.pipelines.verbs.sample import sample
from sharedtask.pipelines.verbs.validate import validate

BY_HAND = {
    "labels.csv": "id,label\n4,1\n9,0\n",
    "recheck.csv": "id,recheck\n4,news\n9,opinion\n",
    "posts.csv": (
        "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post,image,label\n"
        '7,0000000000000000000000000000000a,"Tin ""mới"", hai\ndòng",1585720800,12,0,3,"[""a b.jpg"",""c.png""]",1\n'
        "8,0000000000000000000000000000000b,,,unknown,unknown,unknown,,0\n"
    ),
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every kind, by kind and name."""
    folder = tmp_path_factory.mktemp("samples")
    for task in TASKS:
        sample(task.name, folder / task.name, rows=12, seed=3)
    for name, text in BY_HAND.items():
        (folder / name).write_text(text, encoding="utf-8")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix not in (".zip", ".xlsx")]
    return {path.name: path for path in files}


def table_of(path: Path, out: Path) -> pl.DataFrame:
    report = convert([path], out)
    assert report.outputs, report.to_dict()["findings"]
    return pl.read_parquet(report.outputs[0].path)


@pytest.fixture(scope="module")
def tables(samples: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """The canonical table of each of them."""
    return {name: table_of(path, tmp_path_factory.mktemp("tables")) for name, path in samples.items()}


@pytest.mark.parametrize("to", ["parquet", "csv", "jsonl", "ipc"])
def test_own_output_is_read_back(
    samples: dict[str, Path], tables: dict[str, pl.DataFrame], tmp_path: Path, to: Form
) -> None:
    """To the same table, without a finding that the source had not."""
    kinds = set()
    for name, path in samples.items():
        first = convert([path], tmp_path / "first" / name, to=to)
        assert first.outputs, name
        written = Path(first.outputs[0].path)
        kinds.add(first.outputs[0].kind)
        again = convert([written], tmp_path / "again" / name)
        assert again.outputs, (name, [finding.message for finding in again.findings()])
        assert again.inputs[0].kind == first.outputs[0].kind
        assert {tally.rule.name for tally in again.tallies} <= {tally.rule.name for tally in first.tallies}, name
        assert_frame_equal(pl.read_parquet(again.outputs[0].path), tables[name])
    assert kinds == {kind.name for kind in all_kinds()}


def test_an_arrow_file_carries_the_metadata(samples: dict[str, Path], tmp_path: Path) -> None:
    ipc = pytest.importorskip("pyarrow.ipc")
    path = samples["public_train.csv"]
    convert([path], tmp_path, to="ipc")
    convert([path], tmp_path)
    with ipc.open_file(str(tmp_path / "public_train.arrow")) as file:
        of_arrow = {name.decode(): value.decode() for name, value in file.schema.metadata.items()}
    of_parquet = pl.read_parquet_metadata(tmp_path / "public_train.parquet")
    of_parquet.pop("ARROW:schema")
    assert of_arrow == of_parquet
    assert of_arrow["sharedtask.rows"] == "12"


def test_a_quarantine_is_read_back(tmp_path: Path) -> None:
    source = tmp_path / "sentences_en_train.csv"
    source.write_text(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids\n1,0,The well is dry.,maybe,[]\n1,1,The road is open.,0,[]\n",
        encoding="utf-8",
    )
    convert([source], tmp_path / "out", on_error="quarantine")
    report = validate([tmp_path / "out" / "quarantine" / "sentences_en_train.parquet"])
    assert report.inputs[0].kind == "cheers/sentences"
    found = {(tally.rule.name, tally.column) for tally in report.tallies}
    assert found == {("relevance-not-binary", "is_relevant")}


def test_the_bytes_of_an_arrow_file_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    """The bits of a bitmap behind the last row are zeros, and not what memory held."""
    ipc = pytest.importorskip("pyarrow.ipc")
    source = tmp_path / "documents_en_val.csv"
    header = "project_name,country_code,lang_code,doc_id,doc_text,doc_url\n"
    rows = 'IMMAP,COL,en,30016,"It is dry.",h\nIMMAP,COL,en,30007,"It is open.",\n'
    source.write_text(header + rows, encoding="utf-8")
    written = set()
    for threads in ("1", "2", "4"):
        out = tmp_path / threads
        command = ["convert", str(source), "--out", str(out), "--to", "ipc", "--sort"]
        environment = {**os.environ, "POLARS_MAX_THREADS": threads}
        subprocess.run([sys.executable, "-m", "sharedtask", *command], env=environment, check=True, capture_output=True)
        written.add((out / "documents_en_val.arrow").read_bytes())
        with ipc.open_file(out / "documents_en_val.arrow") as file:
            assert file.get_batch(0).column("doc_url").buffers()[0].to_pybytes()[0] == 0b10
    assert len(written) == 1
