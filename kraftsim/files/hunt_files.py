"""The swarm of a hunt, and its files: corpus and curve as JSON lines, findings as YAML."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.hunting.candidate import Candidate, Shown
from kraftsim.scenarios.hunting.corpus import Corpus
from kraftsim.scenarios.language.reading import Problem

from ..errors import UsageError
from .scenario_files import find, read_file, written

CORPUS, CURVE, FINDINGS = "corpus.jsonl", "curve.jsonl", "findings"
EVERYTHING = "swarm-of-everything"
SCHEMA = "kraftsim/corpus/1"  # of the first line; changes with the meaning of a behaviour's number


def swarm_of(name: str = EVERYTHING) -> Scenario:
    """Returns a scenario whose plans a hunt draws."""
    return read_file(find(name)).scenario


def read_corpus(folder: Path) -> Corpus:
    """Reads the corpus of an earlier hunt; raises UsageError for a file that is no corpus."""
    corpus, path = Corpus(), folder / CORPUS
    lines = path.read_bytes().splitlines() if path.exists() else []
    if lines:
        _expect_schema(path, lines[0])
    for number, line in enumerate(lines[1:], start=2):
        try:
            kept = json.loads(line)
            read_scenario(kept["document"])
            first_us = {int(behaviour): us for behaviour, us in kept["first_us"].items()}
            shown = Shown(first_us, events=kept["events"], messages_per_s=kept["messages_per_s"])
            corpus.take(Candidate(kept["document"], kept["seed"]), shown)
        except Problem as problem:
            raise UsageError(
                f"{path}:{number}: the document of a plan is no scenario: {problem}"
            ) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path}:{number}: expected a kept plan with the keys document, seed, first_us, "
                f"events and messages_per_s, got {error!r}"
            ) from None
    return corpus


def _expect_schema(path: Path, line: bytes) -> None:
    """Raises UsageError unless the first line of a corpus names the schema that this code reads."""
    try:
        schema = json.loads(line)["schema"]
    except (ValueError, KeyError, TypeError):
        schema = None
    if schema != SCHEMA:
        raise UsageError(
            f"{path}:1: expected the schema {SCHEMA}, got {schema or 'none'}: this is a corpus of "
            "another version of kraftsim, or none; give another folder, or remove the file"
        )


def write_corpus(folder: Path, corpus: Corpus) -> None:
    """Writes the corpus; a file that is there is replaced as a whole."""
    partial = folder / f"{CORPUS}.new"
    with _opened(partial, "w") as file:
        file.write(f"{json.dumps({'schema': SCHEMA})}\n")
        for kept in corpus.kept:
            line = {
                "document": kept.candidate.document,
                "seed": kept.candidate.seed,
                "first_us": kept.first_us,
                "events": kept.events,
                "messages_per_s": kept.messages_per_s,
            }
            file.write(f"{json.dumps(line)}\n")
    partial.replace(folder / CORPUS)


def append_to_curve(folder: Path, point: Mapping[str, object]) -> None:
    """Appends a point of the curve: runs, seconds and behaviours so far."""
    with _opened(folder / CURVE, "a") as file:
        file.write(f"{json.dumps(point)}\n")


def write_finding(folder: Path, name: str, small: Scenario) -> Path:
    """Writes the smallest scenario of a finding, and returns its path."""
    path = folder / FINDINGS / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    with _opened(path, "w") as file:
        file.write(written(small))
    return path


@contextmanager
def _opened(path: Path, mode: Literal["w", "a"]) -> Iterator[IO[str]]:
    """Opens a file to write; an OSError names it, which that of a full disk does not by itself."""
    try:
        with path.open(mode, encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
