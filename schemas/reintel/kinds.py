"""The documented files of ReINTEL (VLSP 2020): posts, raw annotations and what decides beside them, results."""

from sharedtask.schemas.reintel.annotations import ANNOTATIONS
from sharedtask.schemas.reintel.labels import LABELS, RECHECK
from sharedtask.schemas.reintel.posts import POSTS
from sharedtask.schemas.reintel.run import RUN

__all__ = ["ANNOTATIONS", "KINDS", "LABELS", "POSTS", "RECHECK", "RUN"]

KINDS = (POSTS, ANNOTATIONS, LABELS, RECHECK, RUN)
