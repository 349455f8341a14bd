"""The version of the tool, read from its own metadata when somebody asks."""


def tool_version() -> str:
    """The installed version of `sharedtask`."""
    from importlib.metadata import version

    return version("sharedtask")
