"""Runs a program of a foreign client, call by call.

A program gets the addresses of brokers (separated by commas), the name of a topic that does not
exist, the id of a broker that is to get the replica of its partition 0, and the id of a registered
broker to unregister. It makes each call of its client once, bounds its time, and prints a line of
JSON: `call` (a name of tools/foreign_clients/calls.py), `method` (the client's name), `outcome`
(result, refusal, timeout, or error where the client itself fails), `code` of a refusal, `text`,
`milliseconds`. Then it reads a line from stdin, so that the reader can look at the cluster between
two calls. Its last line has the outcome `complete`, and in `uncalled` the methods that it neither
calls nor leaves out.
"""

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kio.schema.errors import ErrorCode

LIMIT_S = 150.0
"""A program that runs for longer is killed; each of its calls has a limit of its own."""
NO_GROUPS = "kraftsim has no groups and no transactions"


@dataclass(frozen=True, slots=True)
class Said:
    """A call and what became of it. `outcome` is what is recorded: result, an error's name, ...

    `explained`: the client shows the text that kraftsim has no groups and no transactions.
    """

    call: str
    method: str
    outcome: str
    explained: bool
    milliseconds: int


class Conversation:
    """Iterate over the calls; the program goes on when the next call is asked for."""

    def __init__(self, command: Sequence[str], arguments: Sequence[str]) -> None:
        self._command = [*command, *arguments]
        self.uncalled: list[str] | None = None

    def __iter__(self) -> Iterator[Said]:
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            ) as process,
        ):
            limit = threading.Timer(LIMIT_S, process.kill)
            limit.start()
            try:
                yield from self._calls_of(process)
                if self.uncalled is None:
                    errors.seek(0)
                    raise AssertionError(f"{self._command[0]} ended: {errors.read().decode()}")
            finally:
                limit.cancel()
                process.kill()

    def _calls_of(self, process: subprocess.Popen[str]) -> Iterator[Said]:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in process.stdout:
            document = json.loads(line)
            if document["outcome"] == "complete":
                self.uncalled = sorted(document["uncalled"])
                return
            yield _said(document)
            process.stdin.write("\n")
            process.stdin.flush()


def _said(document: dict[str, Any]) -> Said:
    text = document.get("text") or ""
    outcome = document["outcome"]
    if outcome == "refusal":
        outcome = ErrorCode(document["code"]).name.upper()
    elif outcome == "error":
        outcome = f"error: {text.splitlines()[0]}"
    call, method, milliseconds = (document[key] for key in ("call", "method", "milliseconds"))
    return Said(call, method, outcome, NO_GROUPS in text, milliseconds)
