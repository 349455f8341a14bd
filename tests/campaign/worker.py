"""A worker process: reads trials from stdin, one JSON object a line, and answers each with what is broken.

`python -m tests.campaign.worker MATERIAL [FAULT]`: MATERIAL is the folder of the material; FAULT names a function of
`planted.py`, which breaks the tool in this process, for the tests of the campaign.
"""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.campaign.draw import draw
from tests.campaign.invariants import check
from tests.campaign.material import Material
from tests.campaign.sandbox import Sandbox
from tests.campaign.trial import Trial


def serve(material: Material, answer: Callable[[dict[str, Any]], None]) -> None:
    """Answer trials until the input ends. Before each call of a command a line without a result is sent."""
    with tempfile.TemporaryDirectory(prefix="campaign-") as name:
        sandbox = Sandbox(Path(name).resolve(), lambda: answer({"started": True}))
        for line in sys.stdin:
            asked = json.loads(line)
            trial = (
                Trial.from_json(asked["trial"]) if "trial" in asked else draw(material, asked["seed"], asked["number"])
            )
            answer(
                {
                    "about": {
                        "kind": trial.kind,
                        "container": trial.container,
                        "verb": trial.verb,
                        "invariant": trial.invariant,
                    }
                }
            )
            checked = check(trial, sandbox)
            answer(
                {"broken": [asdict(one) for one in checked.broken], "status": checked.status, "digest": checked.digest}
            )


def main() -> None:
    """Answers go to the descriptor that stdout was, which nothing else can reach from then on."""
    sys.dont_write_bytecode = True
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)

    def answer(what: dict[str, Any]) -> None:
        out.write(json.dumps(what) + "\n")
        out.flush()

    material = Material.load(Path(sys.argv[1]))
    for name in sys.argv[2:]:
        getattr(import_module("tests.campaign.planted"), name)()
    serve(material, answer)
    os._exit(0)  # threads of an interrupted query would crash while the interpreter is taken down


if __name__ == "__main__":
    main()
