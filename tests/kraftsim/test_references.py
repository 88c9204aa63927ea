"""The references in docs and the stub of `kraft_sync` are what their programs write now."""

import pytest

from tools import (
    blocking_stub,
    cli_page,
    configuration_page,
    fault_page,
    http_page,
    profile_page,
    pytest_page,
)


@pytest.mark.parametrize(
    "program",
    [cli_page, configuration_page, fault_page, http_page, profile_page, pytest_page],
    ids=["cli", "configuration", "faults", "http", "profiles", "pytest"],
)
def test_a_reference_is_current(program: object) -> None:
    """Mend it with the program: `python -m tools.cli_page`, and so on."""
    assert program.render() == program.PAGE.read_text("utf-8")  # type: ignore[attr-defined]


def test_the_types_of_the_blocking_cluster_are_current() -> None:
    """Mend them with `python -m tools.blocking_stub`."""
    assert blocking_stub.render() == blocking_stub.STUB.read_text("utf-8")
