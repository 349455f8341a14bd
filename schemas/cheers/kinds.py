"""The documented files of CHEERS round 1 (Data Friendly Space, 2021)."""

from sharedtask.schemas.cheers.documents import DOCUMENTS, SECTORS_FILE
from sharedtask.schemas.cheers.run import RUN
from sharedtask.schemas.cheers.sentences import SENTENCES

KINDS = (SENTENCES, DOCUMENTS, SECTORS_FILE, RUN)

__all__ = ["DOCUMENTS", "KINDS", "RUN", "SECTORS_FILE", "SENTENCES"]
