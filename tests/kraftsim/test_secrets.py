"""What a service keeps of its clients' requests has no secret, and replays all the same."""

from base64 import b64encode
from pathlib import Path

import pytest

from kraftsim import Cluster
from kraftsim.api.recordings import recording_of
from kraftsim.controller.core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from kraftsim.recording.reading import read_recording
from kraftsim.recording.writing import write_recording
from kraftsim.replay.replay import replay
from tests.server.envelopes import ENVELOPE, Sent, spelled
from tests.server.kafka_client import Client, connected

pytestmark = pytest.mark.realtime
SECRET = b"salted-password-of-alice"
ALTER, AUTHENTICATE = 51, 36


def credential(name: str, salted_password: bytes = SECRET) -> ScramCredentialUpsertion:
    return ScramCredentialUpsertion(
        name=name, mechanism=1, iterations=4096, salt=b"salt", salted_password=salted_password
    )


CHANGE = AlterUserScramCredentialsRequest(upsertions=(credential("alice"), credential("bob", b"")))


async def sent(client: Client, frame: bytes) -> bytes:
    client.writer.write(len(frame).to_bytes(4) + frame)
    return await client.frame()


async def test_the_journal_shows_a_mark_for_each_byte_of_a_salted_password() -> None:
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, controller_port=0) as kraft,
        connected(kraft.bootstrap_controllers) as client,
    ):
        client.send(ALTER, 0, CHANGE)
        await client.answer(ALTER, 0)

        (request,) = await kraft.requests.list("AlterUserScramCredentials")

    alice, bob = request["body"]["upsertions"]
    assert alice["saltedPassword"] == b64encode(b"*" * len(SECRET)).decode()
    assert (alice["name"], bob["saltedPassword"]) == ("alice", "")


@pytest.mark.parametrize("principal", [b"", None])
async def test_a_refused_envelope_is_kept_without_the_secret_in_it(principal: bytes | None) -> None:
    envelope = Sent(spelled(ALTER, 0, CHANGE), principal=principal)
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, controller_port=0) as kraft,
        connected(kraft.bootstrap_controllers) as client,
    ):
        await sent(client, envelope.request)
        await sent(client, Sent(spelled(ALTER, 0, CHANGE)).request)

        kept = kraft._live.service.requests.numbered

    assert [received.header.api_key for _, received in kept] == [ENVELOPE, ALTER]
    assert not any(SECRET in received.frame for _, received in kept)


async def test_a_recording_without_the_secret_replays(tmp_path: Path) -> None:
    """The credential is stored, and the one without a password is refused, as before."""
    path = tmp_path / "recording.jsonl"
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, controller_port=0) as kraft,
        connected(kraft.bootstrap_controllers) as client,
    ):
        client.send(ALTER, 0, CHANGE)
        await client.answer(ALTER, 0)
        await sent(client, Sent(spelled(ALTER, 0, CHANGE), principal=b"").request)
        await kraft.clock.advance("3s")
        recording = recording_of(kraft)

    write_recording(path, recording)
    again = await replay(read_recording(path))

    frames = [given.value for given in recording.inputs if given.kind == "frame"]
    assert len(frames) == 2
    assert not any(SECRET in frame for frame in frames if isinstance(frame, bytes))
    assert (again.difference, again.events) == (None, recording.events)


async def test_bytes_of_sasl_are_not_kept() -> None:
    async with (
        Cluster(brokers=1, clock="virtual", seed=1, controller_port=0) as kraft,
        connected(kraft.bootstrap_controllers) as client,
    ):
        frame = AUTHENTICATE.to_bytes(2) + b"\0\1\0\0\0\7\0\1c" + len(SECRET).to_bytes(4) + SECRET
        await sent(client, frame)

        (request,) = await kraft.requests.list("SaslAuthenticate")

    assert request["body"] == {"authBytes": b64encode(b"*" * len(SECRET)).decode()}
