"""How an S3 server is reached, and what its refusals mean, for both clients.

Pyarrow, which reads, and obstore, which writes.
"""

import os
import re
from collections.abc import Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sharedtask.converters.errors import UnusableError

_CREDENTIALS = "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
_CAUSES = {  # the first that fits; codes as the server sends them and as pyarrow spells them, then what the clients say of the network
    r"NoSuchBucket|NO_SUCH_BUCKET": "there is no such bucket",
    r"NoSuchKey|NO_SUCH_KEY|404 Not Found": "there is no such object",
    r"SignatureDoesNotMatch|SIGNATURE_DOES_NOT_MATCH": f"the secret is refused; {_CREDENTIALS}",
    r"InvalidAccessKeyId|INVALID_ACCESS_KEY_ID": f"the access key is not known; {_CREDENTIALS}",
    r"ExpiredToken|EXPIRED_TOKEN": "the credentials have expired; log in again",
    r"169\.254\.169\.254": f"there are no credentials; {_CREDENTIALS}",
    r"AccessDenied|ACCESS_DENIED|40[13] (?:Forbidden|Unauthorized)": f"access is denied; {_CREDENTIALS}, and the rights of the key",
    r"PermanentRedirect|AuthorizationHeaderMalformed|HTTP status 301": "the bucket is in another region; set AWS_REGION",
    r"SlowDown|SLOW_DOWN|\b50[0234] [A-Z]|SERVICE_UNAVAILABLE|INTERNAL_FAILURE": "{server} cannot answer now; run again later",
    r"curlCode: 6\b|dns error|failed to lookup": "{server} cannot be found; check AWS_ENDPOINT_URL",
    r"curlCode: 28\b|kind: Timeout": "{server} does not answer",
    r"curlCode: 7\b|ConnectionRefused|tcp connect error": "{server} cannot be connected to; check AWS_ENDPOINT_URL",
    r"NETWORK_CONNECTION|HTTP error|error decoding response body": "the connection to {server} broke off; run again",
}
# obstore panics where it can make no URL of a name
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Access:
    """The settings of both clients.

    None leaves a choice to the client: AWS itself, the region us-east-1, credentials of the machine.
    """

    endpoint: str | None
    region: str | None
    key: str | None
    secret: str | None = field(repr=False)
    token: str | None = field(repr=False)


def access() -> Access:
    """The access from the environment, or from the profile (`AWS_PROFILE`, else `default`) of the AWS files.

    Raises UnusableError where the endpoint is no URL.
    """
    files = ("AWS_CONFIG_FILE", "config", "profile "), ("AWS_SHARED_CREDENTIALS_FILE", "credentials", "")
    profile = {key: value for file in files for key, value in _profile(*file).items()}
    in_profile = {name.upper(): value for name, value in profile.items()}
    named = os.environ if os.environ.get("AWS_ACCESS_KEY_ID") else in_profile
    wanted = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    key, secret, token = (named.get(name) or None for name in wanted)
    endpoint = _first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") or profile.get("endpoint_url")
    if endpoint and not _is_address(endpoint):
        raise UnusableError(f"AWS_ENDPOINT_URL is '{endpoint}'; expected a URL such as http://localhost:8333")
    return Access(
        endpoint=endpoint and endpoint.rstrip("/"),
        region=_first("AWS_REGION", "AWS_DEFAULT_REGION") or profile.get("region"),
        key=key if secret else None,
        secret=secret if key else None,
        token=token if key and secret else None,
    )


def client_options() -> dict[str, str]:
    """The access as the options of object_store, for a library that opens its files itself (Delta)."""
    given = access()
    options = {
        "AWS_ENDPOINT_URL": given.endpoint,
        "AWS_REGION": given.region or "us-east-1",
        "AWS_ACCESS_KEY_ID": given.key,
        "AWS_SECRET_ACCESS_KEY": given.secret,
        "AWS_SESSION_TOKEN": given.token,
        "AWS_ALLOW_HTTP": "true" if (given.endpoint or "").startswith("http:") else None,
        "conditional_put": "etag",
    }
    return {name: value for name, value in options.items() if value}


def _is_address(text: str) -> bool:
    """Whether a text is the URL of a server; obstore panics where it is not."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and " " not in text
    except ValueError:  # a port that is none
        return False


def _first(*names: str) -> str | None:
    return next((value for name in names if (value := os.environ.get(name))), None)


def _profile(variable: str, name: str, before: str) -> Mapping[str, str]:
    """The chosen profile in one of the two files that AWS tools share; empty where there is none."""
    parser, profile = ConfigParser(interpolation=None, strict=False), os.environ.get("AWS_PROFILE") or "default"
    path = Path(os.environ.get(variable) or Path.home() / ".aws" / name)
    try:
        parser.read(path, encoding="utf-8")  # a file that is not there is an empty one
    except (ConfigParserError, UnicodeDecodeError):
        raise UnusableError(
            f"{path}: cannot be read as a file of AWS profiles; mend it, or name another in {variable}"
        ) from None
    return next((parser[section] for section in (before + profile, profile) if parser.has_section(section)), {})


def split_url(url: str) -> tuple[str, str]:
    """The bucket and the key of an `s3://` URL.

    Raises UnusableError where it names no bucket, or one that no bucket can have.
    """
    bucket, _, key = url.removeprefix("s3://").partition("/")
    if not bucket:
        raise UnusableError(f"{url}: names no bucket; expected s3://bucket/name")
    if not _BUCKET.fullmatch(bucket):
        raise UnusableError(f"{url}: '{bucket}' is not a bucket name; expected 3 or more of a-z, 0-9, '.' and '-'")
    return bucket, key


@contextmanager
def explained(url: str, deed: str, *errors: type[Exception]) -> Iterator[None]:
    """Turn what a client raises, which may be 40 lines, into one that says of which object, what failed, and why."""
    try:
        yield
    except errors as error:
        raise UnusableError(f"{url}: cannot be {deed}: {_cause(str(error))}") from None


def _cause(text: str) -> str:
    server = f"the server at {access().endpoint}" if access().endpoint else "the server"
    for pattern, cause in _CAUSES.items():
        if re.search(pattern, text):
            return cause.format(server=server)
    return " ".join(text.partition("\n\n")[0].split())[:300]
