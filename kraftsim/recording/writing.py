"""Writes a recording as JSON lines: a header, one line for each input, and the end."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path

from kraftsim.controller.wire.apis.table import APIS, DECOMMISSION_BROKER, Api, api_of
from kraftsim.controller.wire.json.json_form import to_json

from .recorder import Input
from .recording import Recording

FORMAT = "kraftsim/recording/2"  # its verbs have nouns, as those of `Cluster`
API_BY_NAME: Mapping[str, Api] = {api.name: api for api in (*APIS.values(), DECOMMISSION_BROKER)}


def write_recording(path: Path, recording: Recording) -> None:
    """Writes the recording to a file; a replay reads it with `read_recording`."""
    with path.open("w", encoding="utf-8") as file:
        for line in _lines(recording):
            file.write(json.dumps(line) + "\n")


def _lines(recording: Recording) -> Iterator[Mapping[str, object]]:
    yield {
        "format": FORMAT,
        "version": recording.version,
        "options": dict(recording.options),
        "ports": dict(recording.ports),
        "gaps": list(recording.gaps),
    }
    for given in recording.inputs:
        yield {"t_us": given.t_us} | dict(_input_fields(given))
    events = recording.events
    yield {
        "end_us": recording.end_us,
        "digest": events.digest,
        "first_event": events.first,
        "marks": events.marks,
    }


def _input_fields(given: Input) -> Iterator[tuple[str, object]]:
    value = given.value
    if isinstance(value, str):
        yield "verb", given.name
        yield "arguments", json.loads(value)
    elif isinstance(value, bytes):
        yield "listener", given.name
        yield "turn", given.turn
        yield "frame", b64encode(value).decode()
    else:
        api = api_of(value)
        yield "api", api.name
        yield "request", to_json(api.request, value)
        yield "bypasses", given.bypasses
