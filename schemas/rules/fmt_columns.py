"""Rules about headers and columns: which are there, under which names and in which order."""

from dataclasses import replace

from sharedtask.schemas.rule import Example, Rule, Severity
from sharedtask.schemas.rules.example_files import CHEERS_RUN, FLARES_TEST, REINTEL_RUN, lines, spoil

_RUN = str(CHEERS_RUN.right)


def _with_column(header: str, values: str, *, first: bool = False) -> Example:
    """The CHEERS run with one more column, at its end or at its start; each digit of `values` is a cell."""
    cells = (header, *values)
    rows = zip(cells, _RUN.splitlines(), strict=True)
    return replace(CHEERS_RUN, wrong=lines(*(f"{c},{row}" if first else f"{row},{c}" for c, row in rows)))


HEADER_MISSING = Rule(
    code="FMT102",
    name="header-missing",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The first line holds data where the column names should be.",
    why=(
        "The first record is mistaken for names and lost, and the official scripts stop because their columns are "
        "missing."
    ),
    hint="Write the header line; in pandas leave `header=False` out.",
    message="the first line is data; expected the header {expected}",
    example=replace(CHEERS_RUN, wrong=_RUN.partition("\n")[2]),
)
HEADER_UNEXPECTED = Rule(
    code="FMT103",
    name="header-unexpected",
    severity=Severity.ERROR,
    fixable=True,
    meaning="The file starts with a header, but the task expects rows only, as in the ReINTEL results file.",
    why=(
        "The header counts as one more row: its cells are not an id and a probability, and a scorer that matches by "
        "position, as the organisers' scorer seems to have done, sees every answer one place too late."
    ),
    hint="Write the rows alone; in pandas use `to_csv(path, header=False, index=False)`.",
    message="the first line is a header; expected data only",
    example=replace(REINTEL_RUN, wrong=f"id,probability\n{REINTEL_RUN.right!s}"),
)
MISSING_COLUMN = Rule(
    code="FMT104",
    name="missing-column",
    severity=Severity.ERROR,
    meaning="A column, or a key of the JSON records, that this kind of file must have is missing.",
    why="Without it the file can't be checked or scored: the official scripts of FLARES and CHEERS stop with an error.",
    hint="Add the column under its official name. If the file is of another kind, say so with `--kind`.",
    message={
        "column": "missing column {column}",
        "key": "no record has the key {column}",
        "split": "the column {column} is missing from a {split} file",
    },
    example=replace(CHEERS_RUN, wrong=lines(*(row.rpartition(",")[0] for row in _RUN.splitlines()))),
)
EXTRA_COLUMN = Rule(
    code="FMT105",
    name="extra-column",
    severity=Severity.WARNING,
    fixable=True,
    meaning="The file has a column that this kind of file does not have.",
    why=(
        "The CHEERS evaluator picks its columns and ignores the rest. Kaggle's parser, where FLARES runs are sent, "
        "documents that it requires exactly the columns of the sample, and a ReINTEL results line has two fields."
    ),
    hint="Leave the column out of the run; `fix` does so.",
    message={
        "column": "unexpected column {column!r}",
        "many": "the first record has {fields} fields or more; expected {expected}; the file was not read",
    },
    example=_with_column("seed", "77777"),
)
MISNAMED_COLUMN = Rule(
    code="FMT106",
    name="misnamed-column",
    severity=Severity.ERROR,
    fixable=True,
    meaning="A column name differs from the official one in case or spaces, or is a known alias of it.",
    why=(
        "Official scripts look columns up by exact name: a FLARES run with ID and TAGS, or with a space before Tags, "
        "makes the scorer fail."
    ),
    hint="Rename the column as the finding says; `fix` does so.",
    message={
        "column": "the column {column!r} should be called {expected}",
        "key": "the key {column!r} of {records:record} should be called {expected}",
        "tag": "the key {key!r} in {subject} of {records:record} should be called {expected}",
    },
    example=spoil(CHEERS_RUN, "doc_id,", "Doc_ID,"),
)
DUPLICATE_COLUMN = Rule(
    code="FMT107",
    name="duplicate-column",
    severity=Severity.ERROR,
    meaning="Two columns have the same name.",
    why="It is unclear which one is meant, and readers differ: pandas renames the second and uses the first.",
    hint="Keep the right column only.",
    message="the column {official} appears twice",
    example=_with_column("is_relevant", "10110"),
)
INDEX_COLUMN = Rule(
    code="FMT108",
    name="index-column",
    severity=Severity.WARNING,
    fixable=True,
    meaning="The first column is a row number without a name, or called `Unnamed: 0` or `Column1`.",
    why=(
        "It comes from a data frame or a spreadsheet that was saved with its index. The CHEERS evaluator ignores it; "
        "an upload that requires exact columns does not, and in ReINTEL it takes the place of the post id."
    ),
    hint="Save without the index: `to_csv(path, index=False)` in pandas.",
    message={
        "named": "the first column, {column!r}, is a row index",
        "unnamed": "the first column has no name and holds a row index",
        "stored": "the column {column!r} is the row index of a pandas data frame",
    },
    example=_with_column("", "01234", first=True),
)
COLUMN_ORDER = Rule(
    code="FMT109",
    name="column-order",
    severity=Severity.INFO,
    fixable=True,
    meaning="All columns are present, but not in the documented order.",
    why="The official scripts of FLARES and CHEERS look columns up by name, so nothing is lost; the bytes differ.",
    hint="Nothing needs to be done; `fix` and `export` write the documented order.",
    message="the columns are in the order {found}; expected {expected}",
    example=replace(CHEERS_RUN, wrong=lines(*(",".join(reversed(row.split(","))) for row in _RUN.splitlines()))),
)
UNKNOWN_JSON_KEY = Rule(
    code="FMT110",
    name="unknown-json-key",
    severity=Severity.WARNING,
    meaning="A JSON record, or a structure in a typed table, has a key that this kind of file does not have.",
    why="Fast JSON readers drop such a key silently, so its value would be lost.",
    hint="Check the spelling of the key, or take it out if it is not meant for this task.",
    message={
        "": "unexpected key {column!r} in {records:record}",
        "table": "unexpected key {column!r} in the structures of a column",
    },
    example=spoil(FLARES_TEST, '{"Id":88,', '{"Id":88,"Section":"escuela",'),
)

RULES = (
    HEADER_MISSING,
    HEADER_UNEXPECTED,
    MISSING_COLUMN,
    EXTRA_COLUMN,
    MISNAMED_COLUMN,
    DUPLICATE_COLUMN,
    INDEX_COLUMN,
    COLUMN_ORDER,
    UNKNOWN_JSON_KEY,
)
