"""`python -m tools.pins` writes digests into a scenario file and leaves the rest of it alone."""

import re

from tools.pins import pin_file

FILE = """\
schema: kraftsim/scenario/1
name: fixed
claim: Broker 1 comes back.
cluster: {controllers: 1, brokers: 1}
time: {warmup: 1s, run: 5s, calm: 1s}
do:
  - {at: 1s, proc.crash: {on: 1, for: 1s}}
pins:
  - {seed: 4, digest: "b2:00"}
  - {seed: 3}  # {seed: 3} once began without a leader
lesson: []
"""


def test_a_pin_with_a_comment_is_written_in_its_place_and_keeps_the_comment(tmp_path):
    path = tmp_path / "fixed.yaml"
    path.write_text(FILE, "utf-8")

    pin_file(path)

    written = path.read_text("utf-8")
    before, _, pins = written.partition("pins:\n")
    digest = r'"b2:[0-9a-f]{32}"'
    assert FILE.startswith(before)
    assert re.fullmatch(
        rf"  - {{seed: 4, digest: {digest}}}\n"
        rf"  - {{seed: 3, digest: {digest}}}  # {{seed: 3}} once began without a leader\n"
        r"lesson: \[\]\n",
        pins,
    ), pins
