"""The names of a span view: the flat table of one row a span, and the flags that readers leave beside a list of spans.

No other module spells them. A span view has `file`, `row`, `span` (the index in the record's list, from 0), the text of
the record, and the fields of the span; the raw text of a field stands beside it under `raw(field)`.
"""

SPAN = "span"
TEXT = "text"
START = "start"
END = "end"
LABEL = "label"
RELIABILITY = "reliability"
SPAN_TEXT = "span_text"

PLACE = (START, END, LABEL)
"""The fields that make a span what it is; no two spans of a record are equal in all of them."""
FIELDS = (START, END, LABEL, RELIABILITY, SPAN_TEXT)

# What readers say of a list of spans, a column each.
CELL = "spans.cell"  # its text in a cell
CELL_TEXT = "spans.cell_text"  # that cell as JSON text, null where it cannot be read
BAD = "spans.bad"  # why the cell cannot be read: JSON of a message key of the rule, and its facts; null where it can
LONE = "spans.lone"  # one span without a list around it
JSON = "spans.json"  # written as JSON where a Python literal is documented
FLAGS = (BAD, LONE, JSON)
FORM = "spans.form."  # with a form behind it: the cell is written so, and is read all the same
BY_LABEL = "texts by label"  # such a form: no tag has offsets, and the texts of one label stand together
LABELLED = "a label and a text for each tag"  # the same in the order in which the tags were given
TEXTS_ALONE = (BY_LABEL, LABELLED)
KEY = "spans.key."  # with a name behind it: a tag of the list has this key, which is not an official one

_RAW = "raw."


def raw(field: str) -> str:
    """The name of the raw text of a field."""
    return _RAW + field
