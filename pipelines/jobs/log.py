"""What a job says while it runs: one JSON object a line, for the log of whoever runs it."""

from collections.abc import Callable
from datetime import UTC, datetime

from sharedtask.pipelines.render.dump import dump

# Called with the level (info, warning, error), the event, and what belongs to it.
Log = Callable[..., None]


def no_log(level: str, event: str, **fields: object) -> None:
    """Log nothing."""


def log_to(write: Callable[[str], object]) -> Log:
    """A log that writes one line for each event: `time` (UTC, ISO 8601), `level`, `event`, and its fields."""

    def log(level: str, event: str, **fields: object) -> None:
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        write(dump({"time": time, "level": level, "event": event, **fields}, indented=False).rstrip())

    return log
