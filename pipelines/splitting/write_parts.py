"""The parts of a file on disk: its records unchanged, and a manifest that says how they were dealt out."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path, PurePath

import polars as pl

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.canonical_sink import sink
from sharedtask.converters.columnar.source import CONTAINERS
from sharedtask.converters.csv.write import sink_delimited, sink_lines
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.outputs import Outputs, Target, join
from sharedtask.pipelines.inputs.judge import Judged
from sharedtask.pipelines.render.dump import dump
from sharedtask.pipelines.results.report import Output, tool_version
from sharedtask.pipelines.splitting.assign import Dealt
from sharedtask.pipelines.splitting.counts import label_counts
from sharedtask.pipelines.splitting.hashes import Subject
from sharedtask.pipelines.splitting.sizes import Plan
from sharedtask.schemas.kind import Kind

ENDINGS = {"csv": ".csv", "xlsx": ".csv", "jsonl": ".json", "json": ".json", "parquet": ".parquet", "ipc": ".arrow"}
USUAL = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
MANIFEST = "manifest.json"


def part_targets(judged: Judged, plan: Plan, out: str | Path) -> list[Target]:
    """The manifest and the parts, in this order. Raises UnusableError where one of them cannot be written."""
    ending, outputs = _ending(judged), Outputs([judged.opened.source.path])
    return [outputs.file(join(out, name)) for name in (MANIFEST, *(f"{name}{ending}" for name in plan.names))]


def write_parts(judged: Judged, subject: Subject, plan: Plan, dealt: Dealt, targets: Sequence[Target]) -> list[Output]:
    """Write the parts and the manifest: all of them, or none where one of them cannot be written."""
    source, kind = judged.opened.source, subject.kind
    manifest_target, *part_files = targets
    outputs, parts = [], []
    with ExitStack() as files:
        manifest = files.enter_context(manifest_target.open())  # the first to be opened is the last to get its name
        for at, target in enumerate(part_files):
            part = files.enter_context(target.open())
            rows = dealt.parts.filter(pl.col("part") == at).select("row")
            _write_records(judged, rows.lazy(), part)
            digest = file_sha256(part)
            outputs.append(Output(target.path, kind.name, rows.height, digest, source.path))
            of_part = judged.frame.join(rows.lazy(), on="row", how="semi")
            parts.append(
                {
                    "path": PurePath(target.path).name,
                    "sha256": digest,
                    "bytes": part.stat().st_size,
                    "rows": rows.height,
                    plan.by: dealt.sizes[at],
                    "labels": label_counts(of_part, kind, subject.labels),
                }
            )
        manifest.write_text(_manifest(judged, plan, kind, parts), encoding="utf-8", newline="\n")
    return outputs


def _ending(judged: Judged) -> str:
    """The ending of the source where it is that of its container, else the usual one.

    Archives and workbooks are not written.
    """
    container = str(judged.opened.table.form.get("container"))
    if container not in ENDINGS:
        raise UnusableError(
            f"{judged.opened.source.path}: is {container}; a split can be made from CSV, JSON or Parquet"
        )
    own = PurePath(judged.opened.source.name).suffix
    fits = USUAL.get(own.lower()) == container.removesuffix("l")
    return own if fits else ENDINGS[container]


def _write_records(judged: Judged, rows: pl.LazyFrame, path: Path) -> None:
    table, kind = judged.opened.table, judged.opened.kind
    if table.form.get("container") in CONTAINERS:
        there = judged.frame.collect_schema().names()
        names = [column.name for column in kind.columns if column.name in there]
        kept = judged.frame.join(rows, on="row", how="semi", maintain_order="left").select(names)
        says = {"sharedtask.kind": kind.name, "sharedtask.tool_version": tool_version()}
        form = str(table.form["container"])
        sink(kept, path, form, lambda count: {**says, "sharedtask.rows": str(count)}).run()
        return
    assert table.as_given is not None  # noqa: S101 - every text form has it
    records = table.as_given.join(rows, on="row", how="semi", maintain_order="left").drop("row")
    array = table.form.get("array")
    if table.form.get("container") in ("json", "jsonl"):
        around = tuple(array) if isinstance(array, list | tuple) and len(array) == 3 else None
        sink_lines(records, path, array=around)
    else:
        sink_delimited(records, path, header=bool(table.form.get("header", True)))


def _manifest(judged: Judged, plan: Plan, kind: Kind, files: list[dict[str, object]]) -> str:
    source = judged.opened.source
    content = {
        "tool": "sharedtask",
        "version": tool_version(),
        "kind": kind.name,
        "source": {"name": source.name, "sha256": source.sha256, "bytes": source.size, "rows": judged.rows},
        "seed": plan.seed,
        "sizes": {name: str(size) if size.denominator > 1 else int(size) for name, size in plan.parts},
        "by": plan.by,
        "method": plan.method,
        "group_by": plan.group_by,
        "stratify": plan.stratify,
        "shared_texts": plan.shared_texts,
        "files": files,
    }
    return dump(content, indented=True)
