"""Archives: the member that is meant is read, and nothing that could do harm is unpacked."""

import io
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sharedtask.converters.archive import Packed, Refusal, read_archive
from sharedtask.converters.limits import USUAL_LIMITS
from sharedtask.converters.source import HIGHEST_RATIO, Source, open_source
from sharedtask.pipelines.verbs.validate import validate
from sharedtask.schemas.rule import Tally

RESULTS = "4373,0.25\n4374,0.75\n"
WANTED = {"results.csv"}


def zipped(members: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@contextmanager
def opened(
    folder: Path, content: bytes, limit: int = USUAL_LIMITS.archive_bytes
) -> Iterator[tuple[Source, tuple[Source, Packed] | Refusal | list[Tally]]]:
    path = folder / "submission.zip"
    path.write_bytes(content)
    with open_source(str(path)) as source:
        yield source, read_archive(source, WANTED, limit)


def refusal(folder: Path, content: bytes, limit: int = USUAL_LIMITS.archive_bytes) -> tuple[str, str]:
    """The rule and the message of the one finding for an archive that is not read."""
    with opened(folder, content, limit) as (source, taken):
        assert isinstance(taken, list)
        (tally,) = taken
        assert not (source.scratch / "member").exists() or (source.scratch / "member").stat().st_size <= limit
        return tally.rule.name, tally.samples[0].message


def test_the_member_is_read_with_the_facts_of_its_own_bytes(tmp_path: Path) -> None:
    content = zipped({"results.csv": RESULTS.replace("\n", "\r\n")})
    with opened(tmp_path, content) as (source, taken):
        assert isinstance(taken, tuple)
        member, packed = taken
        assert (packed.member, packed.extras) == ("results.csv", ())
        assert member.head == RESULTS.replace("\n", "\r\n").encode()
        assert (member.facts.crlf, member.size) == (2, len(content))
        assert member.sha256 == source.sha256  # that of the archive as given


@pytest.mark.parametrize(
    ("names", "member"),
    [
        (["results.csv", "readme.txt"], "results.csv"),
        (["old/results.csv", "results.csv"], "results.csv"),
        (["res/results.csv", "notes.csv"], "res/results.csv"),
        (["answers.csv", "readme.md"], "answers.csv"),
        (["answers"], "answers"),
        (["__MACOSX/._results.csv", ".DS_Store", "._answers.csv", "answers.csv"], "answers.csv"),
    ],
)
def test_which_member_is_meant(names: list[str], member: str, tmp_path: Path) -> None:
    with opened(tmp_path, zipped(dict.fromkeys(names, RESULTS))) as (_, taken):
        assert isinstance(taken, tuple)
        assert taken[1].member == member
        assert set(taken[1].extras) == set(names) - {member}


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"../results.csv": RESULTS}, "would leave the folder"),
        ({"results.csv": RESULTS, "a/../../x": "x"}, "would leave the folder"),
        ({"/results.csv": RESULTS}, "would leave the folder"),
        ({"..\\results.csv": RESULTS}, "would leave the folder"),
        ({"C:/results.csv": RESULTS}, "would leave the folder"),
        ({"results.zip": zipped({"results.csv": RESULTS})}, "is itself an archive"),
        ({"results.csv": zipped({"results.csv": RESULTS})}, "is itself an archive"),
        ({"results.csv": b"\x1f\x8b\x08\x00"}, "is itself an archive"),
        ({"results.csv": "4373,0.5\n" * 100_000}, f"more than {HIGHEST_RATIO} times"),
    ],
)
def test_what_is_not_safe_is_not_read(members: dict[str, str | bytes], told: str, tmp_path: Path) -> None:
    rule, message = refusal(tmp_path, zipped(members))
    assert rule == "archive-unsafe"
    assert told in message


@pytest.mark.parametrize("names", [("a.csv", "b.csv"), ("a/results.csv", "b/results.csv"), ("a.txt", "b")])
def test_several_members_that_may_be_meant(names: tuple[str, ...], tmp_path: Path) -> None:
    with opened(tmp_path, zipped(dict.fromkeys((*names, ".DS_Store"), RESULTS))) as (_, taken):
        assert taken == Refusal(names, names=("4373", "0.25"))


def test_an_archive_that_unpacks_to_too_much(tmp_path: Path) -> None:
    content = zipped({"results.csv": RESULTS * 10}, zipfile.ZIP_STORED)
    assert "unpacks to 200 bytes; expected at most 199" in refusal(tmp_path, content, 199)[1]
    with opened(tmp_path, content, 200) as (_, taken):
        assert isinstance(taken, tuple)


def declaring(content: bytes, size: int) -> bytes:
    """A zip of one member whose headers say that it unpacks to `size` bytes."""
    local, central = content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02")
    wrong = struct.pack("<I", size)
    return b"".join((content[: local + 22], wrong, content[local + 26 : central + 24], wrong, content[central + 28 :]))


@pytest.mark.parametrize("size", [5, 0])
def test_a_declared_size_is_not_believed(size: int, tmp_path: Path) -> None:
    rule, message = refusal(tmp_path, declaring(zipped({"results.csv": RESULTS * 1000}), size), 1000)
    assert rule == "archive-unsafe"
    assert message == "the archive is damaged: a member does not have the content that its checksum promises"


def test_an_encrypted_member(tmp_path: Path) -> None:
    content = bytearray(zipped({"results.csv": RESULTS}))
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(magic) + flags] |= 1
    assert "is encrypted" in refusal(tmp_path, bytes(content))[1]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    buffer, link = io.BytesIO(), zipfile.ZipInfo("results.csv")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    assert "is a link" in refusal(tmp_path, buffer.getvalue())[1]


def test_a_damaged_archive(tmp_path: Path) -> None:
    whole = zipped({"results.csv": RESULTS}, zipfile.ZIP_STORED)
    assert refusal(tmp_path, whole[:40])[0] == "archive-unsafe"
    rule, message = refusal(tmp_path, whole.replace(b"0.25", b"0.26"))
    assert rule == "archive-unsafe"
    assert message == "the archive is damaged: a member does not have the content that its checksum promises"


@pytest.mark.parametrize("members", [{}, {".DS_Store": "x"}, {"folder/": ""}])
def test_an_archive_without_a_file(members: dict[str, str | bytes], tmp_path: Path) -> None:
    assert refusal(tmp_path, zipped(members))[0] == "empty-file"


@pytest.mark.parametrize(
    ("members", "rules"),
    [
        ({"results.csv": RESULTS}, {}),
        ({"res/results.csv": RESULTS}, {"results-name": 1}),
        ({"result.csv": RESULTS}, {"results-name": 1}),
        ({"results.csv": RESULTS, ".DS_Store": "x", "__MACOSX/._results.csv": "x"}, {"zip-extra-member": 2}),
        ({"results.csv": ""}, {"empty-file": 1}),
        ({"results.csv": "id,probability\n" + RESULTS}, {"header-unexpected": 1}),
    ],
)
def test_what_a_zipped_run_is_told(members: dict[str, str | bytes], rules: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / "submission.zip"
    path.write_bytes(zipped(members))
    report = validate([path])
    assert {one.rule.name: one.count for one in report.rules()} == rules
    assert list(tmp_path.iterdir()) == [path]


def test_data_in_a_zip_is_no_upload(tmp_path: Path) -> None:
    path = tmp_path / "release.zip"
    path.write_bytes(zipped({"annotations.csv": "id,annotator_id,score\n1,a,4\n1,b,4\n1,c,5\n", "readme.txt": "x"}))
    report = validate([path])
    assert (report.inputs[0].kind, report.inputs[0].rows, report.rules()) == ("reintel/annotations", 3, [])
