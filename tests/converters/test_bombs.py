"""Small files that ask for all memory: each ends in one line or finding, within 1 GB and in time."""

import gzip
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

MOST_MEMORY = 1_000_000  # kilobytes
SECONDS = 60
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)
PARTS = {
    "[Content_Types].xml": '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
    "_rels/.rels": '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
    '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<?xml version="1.0"?><Relationships '
    'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def workbook(path: Path, *cells: str) -> None:
    rows = "".join(f'<row><c r="{cell}" t="inlineStr"><is><t>x</t></is></c></row>' for cell in cells)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**PARTS, "xl/worksheets/sheet1.xml": SHEET.format(rows)}.items():
            archive.writestr(name, text)


def commas(path: Path) -> None:
    path.write_bytes(b"," * 4_000_000 + b"\n")


def quoted_commas(path: Path) -> None:
    path.write_bytes(b'"",' * 1_500_000 + b"\n")


def packed_zeros(path: Path) -> None:
    with gzip.open(path, "wb", 1) as file:
        for _ in range(110):
            file.write(b"0" * 10_000_000)


def zst_zeros(path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        for _ in range(300):
            out.write(b"0" * 10_000_000)


def many_names(path: Path) -> None:
    names = ",".join(f'"{number % 20_000}": 1' for number in range(100_000))
    path.write_text("{" + names + "}", encoding="utf-8")


def many_numbers(path: Path) -> None:
    path.write_text("{" + ",".join(f'"k{number}": {number}' for number in range(1_000_000)) + "}", encoding="utf-8")


def many_records(path: Path) -> None:
    path.write_text(
        "{" + ",".join(f'"{number}": {{"Id": {number}, "Text": "x"}}' for number in range(1_500_000)) + "}",
        encoding="utf-8",
    )


def spaces(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            for _ in range(90):
                sheet.write(b" " * 10_000_000)


def placeless(path: Path) -> None:
    cell = b"<c><v>1</v></c>" * 100_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        before, after = SHEET.split("{}")
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(before.encode())
            for _ in range(150):
                sheet.write(b"<row>" + cell + b"</row>")
            sheet.write(after.encode())


def wide_sheets(path: Path) -> None:
    workbook(path, "A1", "E1048576")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet2.xml", SHEET.format('<row><c r="E1048576"><v>1</v></c></row>'))


def many_keys(path: Path) -> None:
    record = {f"k{number}": "x" for number in range(20_000)}
    records = [{"Id": 1, "Text": "x"}, {"Id": 2, "Text": "y", **record}]
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")


def many_members(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(100_000):
            archive.writestr(f"{number}.csv", "")


BOMBS: dict[str, tuple[Callable[[Path], None], int, str]] = {
    "far.xlsx": (lambda path: workbook(path, "A1", "XFD1048576"), 2, "reaches to cell XFD1048576"),
    "tall.xlsx": (lambda path: workbook(path, "A1", "Z1048576"), 2, "reaches to cell Z1048576"),
    "beyond.xlsx": (lambda path: workbook(path, "A1", "ZZZZZZ9"), 2, "reaches to cell ZZZZZZ9"),
    "zero.xlsx": (lambda path: workbook(path, "A1", "B0"), 2, "cannot be read as a workbook"),
    "commas.csv": (commas, 1, "extra-column"),
    "quoted.csv": (quoted_commas, 1, "extra-column"),
    "zeros.csv.gz": (packed_zeros, 1, "archive-unsafe"),
    "zeros.csv.zst": (zst_zeros, 1, "archive-unsafe"),
    "immap_sector_name_to_id.json": (many_names, 1, "duplicate-json-key"),
    "settings.json": (many_numbers, 2, "match no known kind"),
    "immap_sector_name_to_id.2.json": (many_numbers, 2, "one object is too large"),
    "5w1h_subtarea_1_records.json": (many_records, 1, "one object of 1500000 records by key"),
    "spaces.xlsx": (spaces, 2, "unpacks to more than"),
    "placeless.xlsx": (placeless, 2, "expected at most 6000000 cells"),
    "sheets.xlsx": (wide_sheets, 2, "reaches to cell E1048576"),
    "full.xlsx": (lambda path: workbook(path, "A1", "E1048576"), 2, "match no known kind"),
    "5w1h_subtarea_1_test.json": (many_keys, 0, "unknown-json-key"),
    "members.zip": (many_members, 1, "archive-unsafe"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_one_line_within_a_gigabyte(name: str, tmp_path: Path) -> None:
    make, status, said = BOMBS[name]
    make(tmp_path / name)
    command = [sys.executable, "-m", "sharedtask", "validate", str(tmp_path / name)]
    with (tmp_path / "said").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=Path(__file__).parents[2])
        limit = Timer(SECONDS, process.kill)
        limit.start()
        _, ended, usage = os.wait4(process.pid, 0)  # of this process alone: other tests of the suite have theirs
        limit.cancel()
        output.seek(0)
        printed = output.read()
    process.returncode = os.waitstatus_to_exitcode(ended)  # or Popen would warn that nobody has waited
    assert process.returncode == status, printed
    assert said in printed
    assert "Traceback" not in printed
    assert "panicked" not in printed
    assert usage.ru_maxrss < MOST_MEMORY
