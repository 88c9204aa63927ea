"""docs/cli.md, docs/faults.md and docs/http.md are what their programs write now."""

import pytest

from tools import cli_page, fault_page, http_page


@pytest.mark.parametrize(
    "program", [cli_page, fault_page, http_page], ids=["cli", "faults", "http"]
)
def test_a_reference_is_current(program: object) -> None:
    """Mend it with `python -m tools.cli_page`, `tools.fault_page` or `tools.http_page`."""
    assert program.render() == program.PAGE.read_text("utf-8")  # type: ignore[attr-defined]
