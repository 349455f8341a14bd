"""Which delimiter a file has, from its first record: a comma, or one of those that a spreadsheet writes in its place."""

import csv
import io

MOST_CELLS = 1 << 14  # of a first record that are told apart
LOOKED_AT = 20  # lines behind the first record
DELIMITERS = (",", ";", "\t", "|")


def in_pattern(delimiter: str) -> str:
    """The delimiter as a regular expression has it."""
    return {"|": r"\|", "\t": r"\t"}.get(delimiter, delimiter)


class Layout:
    """The first record of a delimited file: its delimiter and cells, and whether a space stands after each delimiter.

    `spaced` is true where that is so in the first record, `spaces` where it is in the first or the second. `rest` has the
    lines that follow, as far as they were looked at, cut at each delimiter.
    """

    def __init__(self, head: bytes) -> None:
        text = head.decode("utf-8-sig", "ignore")
        splits = {delimiter: _first_record(text, delimiter) for delimiter in DELIMITERS}
        # The delimiter is what ends the first cell: in `4373;0,03` a comma splits the record too, but later.
        split = [delimiter for delimiter in DELIMITERS if len(splits[delimiter]) > 1]
        self.delimiter = min(split, key=lambda delimiter: len(splits[delimiter][0]), default=",")
        cells = splits[self.delimiter] or [""]  # a blank line is one empty cell
        self.spaced = len(cells) > 1 and all(cell.startswith(" ") for cell in cells[1:])
        self.cells = [cell.strip(" ") if self.spaced else cell for cell in cells]
        lines = text.split("\n", 1 + LOOKED_AT)[1:-1] or text.split("\n")[1:2]
        self.rest = [line.rstrip("\r").split(self.delimiter, MOST_CELLS) for line in lines if line]
        second = self.rest[0] if self.rest else []
        body_spaced = len(second) > 1 and all(cell.startswith(" ") for cell in second[1:])
        body_spaced = body_spaced and any(
            cell.strip().lstrip("-").isdigit() for cell in second[1:]
        )  # text may begin with a space
        self.spaces = self.spaced or body_spaced


def _first_record(text: str, delimiter: str) -> list[str]:
    line = text.partition("\n")[0]
    if line.count(delimiter) > MOST_CELLS:  # of which no documented file has a thousandth; to cut them all takes memory
        return line.split(delimiter, MOST_CELLS)
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
    except csv.Error:  # a quote that is never closed makes a cell too long for the csv module
        return text.partition("\n")[0].rstrip("\r").split(delimiter)
