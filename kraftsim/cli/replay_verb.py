"""`kraftsim replay`: lives through a recording again and prints the story."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import FAILED, GOOD
from ..printable import printable
from .output import add_output, is_data, print_data

if TYPE_CHECKING:
    from ..recording.recording import Recording
    from ..replay.replay import Replay


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `replay` to its parser."""
    parser.add_argument(
        "file", metavar="FILE", help="recording, as the report of a failed test names it"
    )
    add_output(parser)
    parser.set_defaults(run=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    import asyncio

    from ..recording.reading import read_recording
    from ..replay.replay import replay

    recording = read_recording(Path(arguments.file))
    replayed = asyncio.run(replay(recording))
    if is_data(arguments):
        print_data(arguments, _document(recording, replayed))
    else:
        for line in _lines(recording, replayed):
            print(printable(line))
    return GOOD if replayed.is_same else FAILED


def _document(recording: "Recording", replayed: "Replay") -> dict[str, object]:
    return {
        "same": replayed.is_same,
        "digest": replayed.events.digest,
        "recordedDigest": recording.events.digest,
        "firstDifference": replayed.difference,
        "inputs": len(recording.inputs),
        "virtualUs": recording.end_us,
        "gaps": list(recording.gaps),
    }


def _lines(recording: "Recording", replayed: "Replay") -> Iterator[str]:
    from kraftsim.scenarios.running.story import story_of

    from .scenario.narration import event_lines

    seed = recording.options.get("seed")
    yield f"seed {seed}, {len(recording.inputs)} inputs; recorded by kraftsim {recording.version}"
    yield ""
    yield from event_lines(story_of(replayed.rows, replayed.beside))
    yield ""
    yield from (f"the recording is not complete: {gap}" for gap in recording.gaps)
    counted = f"{len(replayed.rows)} events in {recording.end_us / 1e6:.3f} virtual seconds"
    if replayed.is_same:
        yield f"SAME  {replayed.events.digest}  {counted}"
    else:
        yield f"DIFFERENT  {replayed.events.digest}, expected {recording.events.digest}  {counted}"
        if replayed.difference is not None:
            yield from _difference(recording, replayed, replayed.difference)


def _difference(recording: "Recording", replayed: "Replay", seq: int) -> Iterator[str]:
    """Yields the first row that differs, as the replay has it."""
    from kraftsim.scenarios.running.story import story_of

    from .scenario.narration import event_lines

    row = next((row for row in replayed.rows if row.seq == seq), None)
    if row is None:
        yield f"  first difference: the recording has an event {seq}, where the replay has none"
    elif seq >= recording.events.end:
        yield f"  first difference: event {seq} of the replay, where the recording has ended:"
    else:
        yield f"  first difference: event {seq}, which is another one in the recording:"
    if row is not None:
        yield from event_lines(story_of([row], replayed.beside))
