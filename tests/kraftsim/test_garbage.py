"""Full garbage collections end where they would hold heartbeats up."""

import subprocess
import sys

import pytest

PROGRAM = """
import gc
from kraftsim.service import garbage_collection as garbage
garbage.PAUSE_MAX_S = {pause_max_s}
first = gc.get_threshold()
garbage.bound_pauses()
gc.collect({generation})
print(gc.get_threshold() == first, gc.get_threshold()[2] == garbage.NEVER)
"""


@pytest.mark.parametrize(
    ("pause_max_s", "generation", "said"),
    [(-1.0, 2, "False True"), (-1.0, 1, "True False"), (60.0, 2, "True False")],
    ids=["long", "young", "short"],
)
def test_full_collections_end_after_a_long_one(
    pause_max_s: float, generation: int, said: str
) -> None:
    program = PROGRAM.format(pause_max_s=pause_max_s, generation=generation)

    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )

    assert said == done.stdout.strip()
