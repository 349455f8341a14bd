"""The Pandera schema of a kind of file, by name."""

from typing import TYPE_CHECKING

from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.engine import pandera_schema

if TYPE_CHECKING:
    from pandera.polars import DataFrameSchema


def schema(kind: str) -> "DataFrameSchema":
    """The Pandera schema over the canonical columns of a kind such as `cheers/sentences`. Raises KeyError with the known names."""
    return pandera_schema(kind_named(kind))
