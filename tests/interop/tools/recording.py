"""The answers of the released cluster, as they are kept in recorded.json."""

import json
from pathlib import Path

from tests.interop.tools.play import Answer

_FILE = Path(__file__).with_name("recorded.json")


def recorded() -> list[Answer]:
    """Returns the answers in the order of the steps."""
    return [Answer(**row) for row in json.loads(_FILE.read_text("utf-8"))["answers"]]


def keep(release: str, answers: list[Answer]) -> None:
    rows = [answer.as_document() for answer in answers]
    document = {"release": release, "answers": rows}
    _FILE.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
