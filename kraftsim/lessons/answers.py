"""The answers of a lesson: its story, a film of a part of it, and why an event happened."""

import json
from collections.abc import Sequence
from itertools import zip_longest

from kraftsim.controller.core.profile import PROFILES
from kraftsim.scenarios.document.caption import Caption, captions_in
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.sentences import sentence

from ..errors import UnknownEvent, UsageError
from ..files.scenario_files import library, read_file
from .documents import CaptionScene, Film, LessonDocument, Story, StoryEvent, Why
from .film import film_of
from .offer import Offer
from .release_rules import release_rules
from .story_events import story_events
from .tape import Tape
from .tapes import Branch, Tapes

WHY_LINES = 5
SEED = 17  # with which lessons of the library are played
LESSON = "lesson-"  # the names of lessons begin with it
FILM_MAX_US = 120_000_000  # of one film


class Answers:
    """Answers questions about the tapes of branches, of the library and of an offered run."""

    def __init__(self, tapes: Tapes, offer: Offer | None = None) -> None:
        self._tapes = tapes
        self._offer = offer

    def lessons(self) -> list[LessonDocument]:
        """Returns the offered run, and the scenarios of the library that are lessons, in order."""
        paths = (path for name, path in library().items() if name.startswith(LESSON))
        listed = [_lesson(read_file(path).scenario, SEED) for path in paths]
        if self._offer is None:
            return listed
        first = _lesson(self._offer.scenario(), self._offer.seed)
        return [first, *(lesson for lesson in listed if lesson["name"] != first["name"])]

    def story(self, name: str, seed: int, profile: str, acts: str) -> Story:
        """Returns the story of a branch."""
        tape = self._tape(name, seed, profile, acts)
        scenario, result = tape.scenario, tape.result
        events = list(story_events(tape.rows, tape.beside, tape.begin_us))
        return {
            "scenario": name,
            "called": name if self._offer is None else self._offer.called_as(name),
            "title": scenario.title or scenario.name,
            "claim": _claim(scenario, self._tapes.release_of(name)),
            "seed": seed,
            "profile": scenario.profile,
            "beginUs": tape.begin_us,
            "endUs": tape.end_us,
            "leftUs": None if tape.parent is None else tape.start_us,
            "differsAt": _first_difference(tape, events),
            "verdict": result.verdict,
            "digest": result.digest,
            "broken": [
                {
                    "name": broken.name,
                    "isClaim": broken.is_claim,
                    "what": broken.what,
                    "atUs": broken.t_us,
                    "seq": broken.seq,
                }
                for broken in result.violations
            ],
            "rules": release_rules(PROFILES[scenario.profile], tape.settings),
            "captions": [
                _caption(caption)
                for caption in captions_in(scenario.lesson, scenario.profile, tape.settings)
            ],
            "events": events,
        }

    def film(self, name: str, seed: int, profile: str, acts: str, from_us: int, to_us: int) -> Film:
        """Returns what is to be seen of a branch from `from_us` to `to_us`."""
        tape = self._tape(name, seed, profile, acts)
        from_us = min(max(from_us, 0), tape.end_us)
        return film_of(tape.at(from_us), min(max(to_us, from_us), from_us + FILM_MAX_US))

    def why(self, name: str, seed: int, profile: str, acts: str, event: int) -> Why:
        """Returns why an event of a branch happened."""
        tape = self._tape(name, seed, profile, acts)
        rows = tape.rows
        if not rows or not rows[0].seq <= event <= rows[-1].seq:
            raise UnknownEvent.of(event, [row.seq for row in rows])
        links = chain(rows, event)
        if len(links) > WHY_LINES:
            links = [links[0], *links[1 - WHY_LINES :]]
        lines = [
            f"T{(row.t_us - tape.begin_us) / 1e6:+.1f}s  {sentence([row], tape.beside)}"
            for row in links
        ]
        return {"event": event, "lines": lines, "seqs": [row.seq for row in links]}

    def _tape(self, name: str, seed: int, profile: str, acts: str) -> Tape:
        documents = _documents(acts)
        texts = tuple(json.dumps(document, sort_keys=True) for document in documents)
        return self._tapes.tape(Branch(name, seed, profile, texts), documents)


def _lesson(scenario: Scenario, seed: int) -> LessonDocument:
    return {
        "name": scenario.name,
        "title": scenario.title or scenario.name,
        "claim": " ".join(scenario.claim.split()),
        "seed": seed,
    }


def _claim(scenario: Scenario, release: str) -> str:
    """Returns the claim, with the `release` for which it is made unless that is the shown one."""
    claim = " ".join(scenario.claim.split())
    return claim if scenario.profile == release else f"In {release}: {claim}"


def _documents(acts: str) -> tuple[object, ...]:
    """Parses the acts of a branch; raises UsageError unless they are an array in JSON."""
    try:
        documents = json.loads(acts or "[]")
    except (ValueError, RecursionError):
        documents = None
    if not isinstance(documents, list):
        raise UsageError(f"acts: expected an array of steps in JSON, got {acts[:60]!r}")
    return tuple(documents)


def _first_difference(tape: Tape, events: Sequence[StoryEvent]) -> int | None:
    """Returns the index of the first event in which a branch differs from its parent."""
    if tape.parent is None:
        return None
    pairs = zip_longest(tape.rows, tape.parent.rows)
    seq = next((number for number, (ours, theirs) in enumerate(pairs) if ours != theirs), None)
    if seq is None:
        return None
    return next((index for index, event in enumerate(events) if event["lastSeq"] >= seq), None)


def _caption(caption: Caption) -> CaptionScene:
    return {
        "on": caption.on,
        "count": caption.count,
        "say": caption.say,
        "ask": caption.ask,
        "choices": list(caption.choices),
        "answer": caption.answer,
        "because": dict(caption.because),
    }
