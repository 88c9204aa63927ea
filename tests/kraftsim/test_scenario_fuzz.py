"""No text makes the reader of scenario files fail in a way that is not an error for its writer."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kraftsim.errors import UsageError
from kraftsim.files.scenario_files import expect_sound, library, read_files

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "150"))
TEXTS = [path.read_text("utf-8") for path in library().values()]
WORDS = sorted({word for text in TEXTS for word in text.split()})


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A file of the library with some of its lines or words replaced, repeated or removed."""
    lines = draw(st.sampled_from(TEXTS)).splitlines()
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(lines) - 1))
        words = lines[place].split(" ")
        words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS) | st.text())
        lines[place : place + draw(st.integers(0, 2))] = [" ".join(words)]
        if not lines:
            break
    return "\n".join(lines)


@settings(max_examples=EXAMPLES, deadline=None)
@given(damaged() | st.text())
def test_a_damaged_file_is_read_or_refused_with_its_name(text: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.yaml"
        path.write_text(text, "utf-8", errors="replace")
        assert "damaged.yaml" in (refusal_of(path) or "damaged.yaml was read")


def refusal_of(path: Path) -> str | None:
    """The error for the writer of the file; None if it is a scenario."""
    try:
        for file in read_files(path, [], {}):
            expect_sound(file)
    except UsageError as error:
        return str(error)
    return None
