"""The file of a sequence: JSON that is checked before a controller starts.

{"name": ..., "release": "4.3.1", "has_dynamic_voters": true, "metadata_version": null,
 "has_policies": false, "has_listener": false, "has_follower": false,
 "steps": [{"api": ..., "version": ..., "body": {...}}, {"silence": {...}}], "cleanup": [...]}
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kraftsim.controller.core.feature_levels import LEVEL_NAMES
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import JsonError, from_json
from tests.differential.history import History
from tests.differential.listener.stand import Stand
from tests.differential.sequence import Ask, Body, Sequence, Silence, Step
from tests.differential.settings import Start
from tests.differential.symbols import resolve
from tests.released.releases import RELEASES

_APIS = {api.name: api for api in APIS.values()}


class BadFile(ValueError):
    """The file holds no sequence; the text names the file, the step and what was expected."""


def write(sequence: Sequence, path: Path, **about: object) -> None:
    document = {
        "name": sequence.name,
        **about,
        **asdict(sequence.start),
        "steps": [step.to_json() for step in sequence.steps],
        "cleanup": [step.to_json() for step in sequence.cleanup],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def document_of(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise BadFile(f"{path}: expected a file of a sequence, found no file") from None
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: expected JSON in UTF-8: {error}") from None
    if not isinstance(document, dict) or not isinstance(document.get("steps"), list):
        raise BadFile(f'{path}: expected an object with a list "steps", as `files.py` describes it')
    return document


def read(path: Path) -> Sequence:
    """Return the sequence of a file; raises BadFile."""
    document = document_of(path)
    start = _start(path, document)
    return Sequence(
        name=str(document.get("name", path.stem)),
        steps=_steps(path, document, "steps", start),
        cleanup=_steps(path, document, "cleanup", start),
        start=start,
    )


def _start(path: Path, document: dict[str, Any]) -> Start:
    start = Start.of(document)
    if start.metadata_version is not None and start.metadata_version not in LEVEL_NAMES:
        raise BadFile(
            f"{path}: unknown metadata_version {start.metadata_version!r}; known are "
            f"{LEVEL_NAMES[0]} to {LEVEL_NAMES[-1]}"
        )
    return start


def release_of(path: Path) -> str | None:
    """Return the release that the file names, None if it names none; raises BadFile."""
    version = document_of(path).get("release")
    if version is not None and version not in RELEASES:
        known = ", ".join(RELEASES)
        raise BadFile(f"{path}: unknown release {version!r}; known are {known}")
    return version


def _steps(path: Path, document: dict[str, Any], name: str, start: Start) -> tuple[Step, ...]:
    steps: list[Step] = []
    for place, step in enumerate(document.get(name, [])):
        try:
            steps.append(_step(step, start))
        except (BadFile, JsonError) as error:
            raise BadFile(f"{path}: {name}[{place}]: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{type(error).__name__}: {error}"
            raise BadFile(
                f"{path}: {name}[{place}]: expected a request with api, version and body, or a "
                f"silence with seconds, heartbeats and farewells: {what}"
            ) from None
    return tuple(steps)


def _step(document: Body, start: Start) -> Step:
    if "silence" in document:
        silence = document["silence"]
        farewells = tuple((broker_id, want_fence) for broker_id, want_fence in silence["farewells"])
        return Silence(float(silence["seconds"]), tuple(silence["heartbeats"]), farewells)
    ask = Ask(document["api"], document["version"], document["body"])
    _check(ask, start)
    return ask


def _check(ask: Ask, start: Start) -> None:
    """Resolve the body from an empty history: every symbol has a value there."""
    api = _APIS.get(ask.api)
    if api is None:
        raise BadFile(f"unknown api {ask.api!r}; known are {', '.join(sorted(_APIS))}")
    if not api.speaks(ask.version):
        newest = f"{api.min_version} to {api.max_version}"
        raise BadFile(f"unknown version {ask.version!r} of {ask.api}; known are {newest}")
    try:
        body = Stand().resolve(ask.body) if start.has_listener else resolve(ask.body, History())
    except (KeyError, IndexError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise BadFile(
            f"a symbol of the body is unknown or has wrong arguments ({what}); `symbols.py`, or "
            "`listener/stand.py` for a broker's listener, lists the symbols"
        ) from None
    from_json(api.request, body)
