"""A long list or stream lets other clients through (docs/security.md)."""

import json
from operator import attrgetter

import pytest

from kraftsim import Cluster
from kraftsim.http.responses import page_response
from tests.kraftsim.conftest import Http
from tests.kraftsim.http_wires import PASSES, Client
from tests.kraftsim.loop_passes import others_run, passes_during

pytestmark = pytest.mark.realtime


@pytest.mark.parametrize("verb", ["brokers.list", "topics.list", "log.show", "events.list"])
async def test_others_are_served_while_a_long_list_is_built(
    kraft: Cluster, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kraft.topics.create("orders")
    monkeypatch.setattr("kraftsim.api.views.slices.ITEMS_AT_ONCE", 1)

    page, passes = await passes_during(attrgetter(verb)(kraft)())

    listed = page.result()
    assert passes > len(listed) > 0


async def test_others_are_served_while_a_long_document_is_encoded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kraftsim.api.views.slices.ITEMS_AT_ONCE", 1)
    document = {"events": [{"seq": number} for number in range(9)], "next": 9, "name": "é\n"}

    encoding, passes = await passes_during(page_response(document))

    assert passes > 9
    assert json.loads(encoding.result().text or "") == document


async def test_others_are_served_while_old_events_are_streamed(
    kraft: Cluster, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.http.app.ITEMS_AT_ONCE", 1)
    rows, client, sizes = kraft.world.journal.since(0), Client(kraft), set()

    client.deliver(
        b"GET /v1/events?from=0 HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    )
    for _ in range(2 * len(rows) + PASSES):
        await others_run()
        sizes.add(len(client.wire.written))

    assert client.wire.written.count(b"event: ") == len(rows)
    assert len(sizes) > len(rows)
    await client.end()
