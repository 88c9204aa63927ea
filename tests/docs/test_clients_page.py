"""docs/clients.md shows what the suite has recorded, of the pinned versions."""

import json

import pytest

from tests.interop.foreign.programs import PROGRAMS, Program
from tools.foreign_clients.calls import CONTROL_PLANE, DATA_PLANE
from tools.foreign_clients.page import CLIENTS, PAGE, render


def test_the_page_shows_the_records() -> None:
    """Mend it with `python -m tools.foreign_clients.page`."""
    assert render() == PAGE.read_text("utf-8")
    assert [name for name, _ in CLIENTS] == [program.name for program in PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_record_has_known_calls_of_the_pinned_version(program: Program) -> None:
    document = json.loads(program.recorded.read_text("utf-8"))

    assert set(document["calls"]) <= {*CONTROL_PLANE, *DATA_PLANE}
    assert document["version"] == program.version
