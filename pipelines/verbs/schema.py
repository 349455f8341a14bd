"""The Pandera schema of a kind of file, by name."""

from typing import Any

from sharedtask.pipelines.tasks import kind_named
from sharedtask.schemas.engine.pandera_seam import pandera_schema


def schema(kind: str) -> Any:
    """The `pandera.polars.DataFrameSchema` over the canonical columns of a kind such as `cheers/sentences`.

    Raises KeyError with the known names.
    """
    return pandera_schema(kind_named(kind))
