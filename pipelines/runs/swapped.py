"""A run and a gold that were given in each other's place."""

from sharedtask.converters.csv.delimiter import Layout
from sharedtask.converters.errors import UnusableError
from sharedtask.converters.sniff import Sniffed
from sharedtask.converters.which_kind import has_all_columns, kind_among
from sharedtask.pipelines.runs.run_kind import RunKind
from sharedtask.pipelines.runs.score_inputs import gold_kinds
from sharedtask.pipelines.tasks import all_kinds, run_kinds
from sharedtask.schemas.kind import Kind
from sharedtask.schemas.spans import RELIABILITY

FIRST_RECORDS = 20  # of a file given as the run, in which an answer that is no label is looked for
HARD = {"", "0", "1"}


def refuse_swapped(run: Sniffed, gold: Sniffed) -> None:
    """Raise UnusableError where the file given as the run is plainly a gold, and the file given as the gold is a run.

    Their columns say so, and where runs and golds can have the same ones, the keys of their spans.
    """
    kind = kind_among(run, all_kinds())
    how = next((one for one in run_kinds() if _is_answers(gold, one) and _is_gold(run, kind, one)), None)
    if how is None or kind is None:
        return
    told = f"{run.source.path} and {gold.source.path} seem swapped: {run.source.path} is a {kind.name} file"
    as_gold = next((one for one in gold_kinds() if one.name == how.reference.name), None)
    usable = as_gold is not None and has_all_columns(gold, as_gold) and has_all_columns(run, how.run)
    way_out = f"; if they are not, use --kind {how.run.name}" if usable else ""
    raise UnusableError(f"{told} and {gold.source.path} a {how.run.name} file; expected RUN --against GOLD{way_out}")


def _is_answers(sniffed: Sniffed, how: RunKind) -> bool:
    """Whether a file is a run of this kind, and not a gold that has no more columns than it."""
    looks = kind_among(sniffed, all_kinds(), runs_first=True)
    if looks is None or _tells_reliability(sniffed, how):
        return False
    return looks.name == how.run.name or (looks.name == how.reference.name and _in_page_form(sniffed, how))


def _is_gold(sniffed: Sniffed, kind: Kind | None, how: RunKind) -> bool:
    """Whether a file is data that a run of this kind answers, and no run with columns or a header of its own.

    Runs with spans may have the texts, too, and a gold may have none. So a delimited file is one for its labels only.
    """
    if kind is None or kind.is_run or kind.task != how.run.task:
        return False
    if not how.run.header:
        return len(sniffed.names) != len(how.run.official) or not _holds_probabilities(sniffed)
    if kind.name != how.reference.name or how.run.spans is None:
        return kind.name == how.reference.name
    is_data = sniffed.container != "csv" and not _in_page_form(sniffed, how)
    return is_data or _tells_reliability(sniffed, how)


def _in_page_form(sniffed: Sniffed, how: RunKind) -> bool:
    """Whether the columns are those of a run on the page of the competition."""
    form = how.run.page_form
    return form is not None and {*sniffed.names} == {*form.columns}


def _tells_reliability(sniffed: Sniffed, how: RunKind) -> bool:
    """Whether the spans of the first records have the label that only a gold has."""
    if how.run.spans is None:
        return False
    names = [column.official for column in how.run.spans.columns if column.name == RELIABILITY]
    return any(name.encode() in sniffed.source.head for name in names)


def _holds_probabilities(sniffed: Sniffed) -> bool:
    """Whether a delimited file of two columns ends its records with other numbers than 0 and 1."""
    header, *records = sniffed.source.head.decode("utf-8", "ignore").split("\n")[:FIRST_RECORDS]
    delimiter = Layout(header.encode()).delimiter
    answers = {record.rpartition(delimiter)[2].strip(' \r"') for record in records}
    return sniffed.container == "csv" and not answers <= HARD
