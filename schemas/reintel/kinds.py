"""The documented files of ReINTEL (VLSP 2020): posts, raw annotations, results."""

from sharedtask.schemas.reintel.annotations import ANNOTATIONS
from sharedtask.schemas.reintel.posts import POSTS
from sharedtask.schemas.reintel.run import RUN

__all__ = ["ANNOTATIONS", "KINDS", "POSTS", "RUN"]

KINDS = (POSTS, ANNOTATIONS, RUN)
