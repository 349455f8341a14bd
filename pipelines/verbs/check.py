"""The verb `check`: a run against its reference, before it is uploaded."""

from collections.abc import Sequence
from pathlib import Path

from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.results.report import Report
from sharedtask.pipelines.runs.run_judge import RunJudge


def check(
    run: str | Path,
    against: str | Path,
    *,
    kind: str | None = None,
    also: Sequence[str | Path] = (),
    limits: Limits = USUAL_LIMITS,
) -> Report:
    """Check a run file against its reference.

    Ids, order, labels, values, spans in their texts, and the form of the upload.

    `against` is the data file that the run answers, in any form, with labels or without; `also` are other splits, to
    one of which the ids may belong. `kind` is the kind of the run where its columns leave a choice. Counts are exact,
    `limits` bounds the samples of each rule. An error of structure or keys in the reference is a finding in that file,
    and nothing is checked against it; whatever else is found in it is shown and changes nothing. Raises UnusableError
    where a file cannot be read at all, or the run is a file of another kind.
    """
    with Inputs(Report("check", max_findings=limits.findings), limits) as inputs:
        RunJudge(advise=True).check_against(inputs, str(run), str(against), kind, [str(path) for path in also])
    return inputs.report
