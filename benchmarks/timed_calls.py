"""Single calls on data that is in memory already: loads the data, times the call, and prints the seconds as JSON.

    python benchmarks/timed_calls.py NAME FILE [COLUMN]

It is the first such call of its process.
"""

import json
import sys
import time
from collections.abc import Callable

Call = Callable[[], object]


def flares_score(table: str) -> Call:
    """The official scorer on a canonical table against itself, ratios and labels included."""
    import polars as pl

    from sharedtask.pipelines.metrics.flares_spans import score

    spans = pl.read_parquet(table, columns=["id", "spans"])
    return lambda: score(spans, spans, scorer="official")


def flares_match(table: str) -> Call:
    """The matching alone, on flat tables of the spans."""
    import polars as pl

    from sharedtask.pipelines.metrics.span_matching import match

    lists = pl.read_parquet(table, columns=["spans"]).with_row_index("item")
    flat = lists.filter(pl.col("spans").list.len() > 0).explode("spans").unnest("spans")
    return lambda: match(flat, flat)


def flares_loop(table: str) -> Call:
    """The organisers' row loop on the CSV of the same table, read by pandas."""
    import pandas as pd
    from row_loop import count_spans

    frame = pd.read_csv(table)
    return lambda: count_spans(frame, frame)


def auc(table: str, scores: str) -> Call:
    """ROC-AUC of a column of scores."""
    import polars as pl

    from sharedtask.pipelines.metrics.ranking import roc_auc

    frame = pl.read_parquet(table, columns=["label", scores])
    return lambda: roc_auc(frame["label"], frame[scores])


def sklearn_auc(table: str, scores: str) -> Call:
    """The same by scikit-learn, on NumPy arrays."""
    import polars as pl
    from sklearn.metrics import roc_auc_score

    frame = pl.read_parquet(table, columns=["label", scores])
    labels, values = frame["label"].to_numpy(), frame[scores].to_numpy()
    return lambda: roc_auc_score(labels, values)


CALLS: dict[str, Callable[..., Call]] = {
    "flares-score": flares_score,
    "flares-match": flares_match,
    "flares-loop": flares_loop,
    "auc": auc,
    "sklearn-auc": sklearn_auc,
}


def main() -> None:
    call = CALLS[sys.argv[1]](*sys.argv[2:])
    started = time.perf_counter()
    call()
    print(json.dumps(time.perf_counter() - started))


if __name__ == "__main__":
    main()
