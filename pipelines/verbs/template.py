"""The verb `template`: a valid run that predicts nothing."""

from pathlib import Path

from sharedtask.converters.atomic import file_sha256
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.limits import USUAL_LIMITS, Limits
from sharedtask.converters.outputs import Outputs
from sharedtask.converters.which_kind import kind_among
from sharedtask.pipelines.inputs.inputs import Inputs
from sharedtask.pipelines.inputs.lenient_kind import only_checked
from sharedtask.pipelines.results.report import Output, Report
from sharedtask.pipelines.runs.upload import container_of, write_upload
from sharedtask.pipelines.tasks import all_kinds, run_kinds
from sharedtask.schemas.kind import Kind


def template(against: str | Path, out: str | Path, *, limits: Limits = USUAL_LIMITS) -> Report:
    """Write a valid run that predicts nothing, with the ids of the reference in its order; `out` is a .csv or .zip.

    The report names the file that was written. Where the structure or the keys of the reference are wrong, nothing is
    written and the report has the findings. Raises UnusableError where a file cannot be read or written, or is not the
    reference of a run.
    """
    target = Outputs([against]).file(out)
    ending = container_of(target.path)
    report = Report("template", outputs=[], max_findings=limits.findings)
    with Inputs(report, limits) as inputs:
        sniffed = inputs.sniff(against, "reference")
        found = kind_among(sniffed, all_kinds())
        how = next((one for one in run_kinds() if found is not None and one.reference.name == found.name), None)
        if found is not None and how is None:
            raise UnusableError(f"{against}: is a {found.name} file, which has no runs")
        kinds: list[Kind] | None = [only_checked(how.reference, how.reference.key)] if how is not None else None
        reference = inputs.judge(sniffed, "reference", kinds, only_structure=True)
        if reference is None or how is None:
            return report
        with target.open() as temporary:
            write_upload(how.official(how.empty(reference.frame)), temporary, ending, how)
            digest = file_sha256(temporary)
        report.written.append(target.path)
        report.outputs = [Output(target.path, how.run.name, reference.height, digest, reference.opened.source.path)]
    return report
