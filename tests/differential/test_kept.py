"""Ours gives the answers that a released controller gave where ours once differed."""

import json
from pathlib import Path
from random import Random

import pytest

from tests.differential.files import write
from tests.differential.generate.brokers import plain_registration
from tests.differential.generate.draft import Draft
from tests.differential.generate.silent import keep_alive
from tests.differential.kept import FOLDER, answers_of_ours, replay
from tests.differential.pair import CLUSTER_ID
from tests.differential.sequence import Ask, Sequence, Silence
from tests.released.releases import RELEASES


def _kept(path: Path) -> object:
    rule = json.loads(path.read_text("utf-8"))["rule"]
    return pytest.param(path, marks=pytest.mark.rule(rule), id=path.stem)


@pytest.mark.parametrize("path", [_kept(path) for path in sorted(FOLDER.glob("*.json"))])
def test_ours_answers_as_the_released_controller_did(path: Path) -> None:
    assert [] == replay(path)


def test_a_silence_is_replayed_with_its_heartbeats_farewells_and_session(tmp_path) -> None:
    path = tmp_path / "silent.json"
    draft = Draft(Random(1), RELEASES["4.3.1"], CLUSTER_ID, 0, brokers=3)
    register = [
        Ask("BrokerRegistration", 4, plain_registration(draft, i) | {"previousBrokerEpoch": -1})
        for i in draft.ids
    ]
    serve = [keep_alive(i) for i in draft.ids]
    silences = (Silence(12.0, (1,)), Silence(23.0, (1,), ((3, True),)))
    write(
        Sequence("silent-1-0", (*register, *serve, *silences)),
        path,
        release="4.3.1",
        session_timeout_ms=20_000,
    )

    *_, first, second = answers_of_ours(path)

    assert [] == first["records"], "the leases of 20 s go on"
    fences = [r["data"]["brokerId"] for r in second["records"] if r["data"].get("fenced") == 1]
    assert 3 == fences[0], "3 says farewell"
    assert 2 in fences, "2 is silent"
    assert 1 not in fences, "1 sends heartbeats"
    assert second["replies"], "heartbeats and the farewell are answered"
