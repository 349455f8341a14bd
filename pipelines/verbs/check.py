"""The verb `check`: a run against its reference, before it is uploaded."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from sharedtask.pipelines.report import Report
from sharedtask.pipelines.runs.judge import RunJudge
from sharedtask.schemas.engine.text_checks import MAX_FIELD_BYTES


def check(
    run: str | Path,
    against: str | Path,
    *,
    kind: str | None = None,
    also: Sequence[str | Path] = (),
    max_findings: int = 20,
    max_bytes: int = MAX_FIELD_BYTES,
) -> Report:
    """Judge a run file against its reference: ids, order, labels, values, spans in their texts, and the form of the upload.

    `against` is the data file that the run answers, in any form, with labels or without; `also` are other splits, to one of which the ids
    may belong. `kind` is the kind of the run where its columns do not tell. Counts are exact, `max_findings` bounds the samples of each
    rule. An error of structure or keys in the reference is a finding in that file, and nothing is judged against it. Raises UnusableError
    where a file cannot be read at all, or the run is a file of another kind.
    """
    with ExitStack() as files:
        return RunJudge(files, max_findings, max_bytes).check(
            str(run), str(against), kind, [str(path) for path in also]
        )
