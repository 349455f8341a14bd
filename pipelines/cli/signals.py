"""Signals end the work, in this one place: what is half done is removed, and the exit status is 128 + the signal.

Python runs a handler between two of its own instructions, in the main thread. So a query of Polars would go on until it
ends, and what a handler raises in a callback would come back as an error of the query. A thread therefore hears of the
signal at once. It sends an interrupt, at which Polars stops, repeats it until the main thread has noticed, and ends the
process itself if that takes too long, or if a second signal comes.
"""

import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LIBRARIES = {"polars", "pyarrow", "deltalake", "obstore"}  # they call back, and make an error of what is raised there
_AGAIN = 0.05  # seconds, after which the main thread is interrupted again
_PATIENCE = 3.0  # seconds for the main thread to notice, which it cannot inside a query
_CLEANING = 5.0  # seconds more for it to clean up; containers are killed ten seconds after SIGTERM


class Interrupted(BaseException):
    """The work was ended by a signal; SIGPIPE stands for a pipe that nobody reads any more."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Watch:
    """What has happened so far: the signal that came first, and whether the main thread is ending its work.

    When the work is over, a signal has nothing to end but the process.
    """

    def __init__(self) -> None:
        self.received = 0
        self.noticed = False
        self.over = False

    def stop(self, number: int, frame: FrameType | None) -> None:
        """The handler of all signals: raises once, and where it ends the work."""
        if self.over and not self.received:
            _leave(number)
        self.received = self.received or number
        if self.noticed or _is_called_back(frame):
            return
        self.noticed = True
        if not isinstance(sys.exception(), Interrupted | KeyboardInterrupt):  # Polars raises by itself
            raise Interrupted(self.received)

    def listen(self, pipe: int) -> None:
        """Wait for signals until the other end of the pipe is closed."""
        while not self.received:
            heard = os.read(pipe, 1)
            if not heard:
                return
            self.received = self.received or heard[0]
        os.set_blocking(pipe, False)
        due = Counter[int]()  # signals that were sent here and not heard yet
        begun = time.monotonic()
        while time.monotonic() < begun + _PATIENCE + _CLEANING * self.noticed:
            if not self.noticed:
                _send({self.received, signal.SIGINT}, due)
            time.sleep(_AGAIN)
            try:
                heard = os.read(pipe, 1 << 12)
            except BlockingIOError:
                continue
            due.subtract(heard)
            if due and min(due.values()) < 0:
                _leave(self.received)
        end(self.received)


@contextmanager
def watching() -> Iterator[Watch]:
    """Signals raise Interrupted in the block; one that the caller has this process ignore stays ignored.

    The handlers stay after it: those of Python would show a traceback if a signal comes while the interpreter ends.
    """
    watch = Watch()
    if threading.current_thread() is not threading.main_thread():
        yield watch
        return
    pipe, end_of_pipe = os.pipe()
    os.set_blocking(end_of_pipe, False)
    before = {one: signal.getsignal(one) for one in ENDING}
    wakeup = signal.set_wakeup_fd(end_of_pipe, warn_on_full_buffer=False)
    listener = threading.Thread(target=watch.listen, args=[pipe], daemon=True)
    listener.start()
    try:
        for one, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(one, watch.stop)
        yield watch
    finally:
        watch.over = True
        if not watch.received:  # else the listener goes on, to end a process that does not end by itself
            signal.set_wakeup_fd(wakeup)
            os.close(end_of_pipe)
            listener.join()
            os.close(pipe)


def end(number: int) -> NoReturn:
    """End the process with the status of a signal, and a line on stderr; nothing half done is left.

    Does not wait for the threads of a query that was interrupted. They would touch what is taken down around them, and
    crash.
    """
    from sharedtask.converters.own_folder import remove_own

    remove_own()
    with suppress(OSError, ValueError, AttributeError):  # a pipe that nobody reads any more, a stream that is closed
        sys.stdout.flush()
    _leave(number)


def _leave(number: int) -> NoReturn:
    with suppress(OSError, ValueError):
        if number != signal.SIGPIPE and sys.stderr is not None:
            os.write(sys.stderr.fileno(), f"sharedtask: interrupted by {signal.Signals(number).name}\n".encode())
    os._exit(128 + number)


def _send(signals: set[int], due: Counter[int]) -> None:
    """Interrupt the main thread again, also by SIGINT, which Polars hears."""
    for one in signals:
        if not due[one] and signal.getsignal(one) is not signal.SIG_IGN:
            due[one] += 1
            os.kill(os.getpid(), one)


def _is_called_back(frame: FrameType | None) -> bool:
    """Whether code runs inside a call of a library."""
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _LIBRARIES:
            return True
        frame = frame.f_back
    return False
