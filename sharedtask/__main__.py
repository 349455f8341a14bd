"""`python -m sharedtask`: the same as the command."""

from sharedtask.pipelines.cli import main

main()
