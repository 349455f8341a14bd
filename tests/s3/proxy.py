"""A proxy in front of an S3 server, which passes all on or misbehaves."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from urllib.parse import urlsplit

METHODS = (b"GET ", b"PUT ", b"POST ", b"HEAD ", b"DELETE ")
SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
BLOCK = 1 << 16

# What becomes of a request, by its number (from 1) and first line: pass, drop, stall, drip or throttle.
Fate = Callable[[int, str], str]


class Proxy:
    """Listens on the loopback while its block runs; `url` is the endpoint for clients.

    Of the answer to a request with another fate than `pass` only `kept` bytes arrive as they should: then the
    connection is closed (`drop`), says nothing any more (`stall`) or gives a byte a moment (`drip`). `throttle` answers
    503 itself.
    """

    def __init__(self, url: str, fate: Fate, kept: int = 0) -> None:
        self.server, self.fate, self.kept = (urlsplit(url).hostname, urlsplit(url).port), fate, kept
        self.requests = 0
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> "Proxy":
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._start(self._requests, client, socket.create_connection(self.server), ["pass"])

    def _requests(self, client: socket.socket, server: socket.socket, fate: list[str]) -> None:
        """What the client says goes to the server."""
        self._start(self._answers, client, server, fate)
        with suppress(OSError):
            while data := client.recv(BLOCK):
                if data.startswith(METHODS):
                    with self._lock:
                        self.requests += 1
                        number = self.requests
                    fate[0] = self.fate(number, data.partition(b"\r\n")[0].decode())
                if fate[0] == "throttle":
                    client.sendall(
                        b"HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Type: application/xml\r\n"
                        + b"Content-Length: %d\r\n\r\n" % len(SLOW_DOWN)
                        + SLOW_DOWN
                    )
                    break
                server.sendall(data)
        _close(client, server)

    def _answers(self, client: socket.socket, server: socket.socket, fate: list[str]) -> None:
        """What the server says goes to the client, as far as it may."""
        kept = self.kept
        with suppress(OSError):
            while data := server.recv(BLOCK):
                if fate[0] in ("pass", "throttle"):
                    client.sendall(data)
                    continue
                client.sendall(data[:kept])
                rest, kept = data[kept:], max(kept - len(data), 0)
                if not rest:
                    continue
                if fate[0] == "stall":
                    self._over.wait()
                elif fate[0] == "drip":
                    for byte in rest:
                        client.sendall(bytes([byte]))
                        if self._over.wait(0.3):
                            break
                break
        _close(client, server)


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
