"""What a job came to, as data and as some lines for a person."""

from dataclasses import dataclass

from sharedtask.converters.storage import resolve
from sharedtask.pipelines.jobs.job import Job
from sharedtask.pipelines.jobs.outcome import Outcome
from sharedtask.pipelines.render.phrases import path_of, visible
from sharedtask.schemas.messages import plural

MOST_LINES = 20  # inputs that are named


@dataclass(frozen=True, slots=True, repr=False)
class JobResult:
    """All inputs of a job in order, how many were processed now, and the findings of the reference, if any."""

    job: Job
    outcomes: tuple[Outcome, ...]
    worked: int
    reference: Outcome | None = None

    def __repr__(self) -> str:
        numbers = ", ".join(f"{number} {status}" for status, number in self.by_status().items())
        return f"<JobResult: {'ok' if self.ok else 'failed'}, {numbers}, {self.worked} processed>"

    @property
    def ok(self) -> bool:
        """Whether no input has what the job is to fail on."""
        return not any(one.is_bad(self.job.fail_on) for one in self.outcomes)

    def by_status(self) -> dict[str, int]:
        """How many inputs are ok, have errors, and could not be read at all."""
        return {status: sum(one.status == status for one in self.outcomes) for status in ("ok", "errors", "unread")}

    def summary(self) -> str:
        """A line for each of the first inputs that are not ok, and one for the job; all of it is in its tables."""
        base = self.job.base
        bad = [
            f"{path_of(resolve(one.path, base))}: {visible(_told(one))}" for one in self.outcomes if one.status != "ok"
        ]
        more = len(bad) - MOST_LINES
        lines = bad[:MOST_LINES] + (
            [f"... and {more} more: see manifest.json and findings.parquet"] if more > 0 else []
        )
        statuses = ", ".join(f"{number} {status}" for status, number in self.by_status().items() if number)
        new = f"{self.worked} processed" if self.worked else "nothing new"
        verdict = "ok" if self.ok else "failed"
        return (
            "\n".join(
                [
                    *lines,
                    f"{verdict}: {plural(len(self.outcomes), 'input')} ({statuses}), {new}; see {resolve(self.job.output, base)}",
                ]
            )
            + "\n"
        )


def _told(one: Outcome) -> str:
    if one.error is not None:
        return one.error.removeprefix(f"{one.path}: ")
    first = next((finding for finding in one.findings if finding["severity"] == "error"), None)
    errors = one.counts["error"]
    said = f": {first['code']} {first['name']}, {first['message']}" if first else ""
    return f"{plural(errors, 'error')}{said}"
