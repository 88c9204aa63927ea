"""A broker's listener lists the versions that a broker of the same release was recorded to list."""

import pytest

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_1, KAFKA_4_3, Profile
from kraftsim.controller.core.rpc import ApiVersionsRequest, ApiVersionsResponse
from kraftsim.controller.server import api_versions
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import decode_response
from tests.golden.recordings import frames

FETCH = 1
ASKED = ApiVersionsRequest(client_software_name="test", client_software_version="1")
Ranges = dict[int, tuple[int, int]]


def recorded(release: str, kind: str) -> Ranges:
    response = next(
        decode_response(18, frame.api_version, frame.data)[1]
        for frame in frames(release, "A1-single")
        if frame.api_key == 18 and frame.direction == "rsp" and frame.connection.startswith(kind)
    )
    return ranges(response)


def ranges(response: object) -> Ranges:
    assert isinstance(response, ApiVersionsResponse)
    return {key.api_key: (key.min_version, key.max_version) for key in response.api_keys}


@pytest.mark.rule("5.1", "5.48")
@pytest.mark.parametrize("listener", ["broker", "controller"])
@pytest.mark.parametrize(
    ("release", "profile"), [("3.9.1", KAFKA_3_9), ("4.1.1", KAFKA_4_1), ("4.3.1", KAFKA_4_3)]
)
def test_each_listener_lists_the_versions_of_its_release(
    release: str, profile: Profile, listener: str
) -> None:
    theirs = recorded(release, listener[0])

    response = api_versions.answer(ASKED, 4, listener=listener, image=Image(), profile=profile)

    listed = ranges(response)
    assert listed.keys() <= theirs.keys()
    for key, (oldest, newest) in listed.items():
        is_raft = (listener, key) == ("controller", FETCH)
        least = 13 if is_raft else APIS[key].min_version
        assert (oldest, newest) in (theirs[key], (max(least, theirs[key][0]), theirs[key][1])), key


def test_a_broker_of_4_3_lists_every_api_of_the_data_plane() -> None:
    response = api_versions.answer(ASKED, 4, listener="broker", image=Image(), profile=KAFKA_4_3)

    data_plane = {key: span for key, span in recorded("4.3.1", "b").items() if is_data_plane(key)}
    assert data_plane == {key: span for key, span in ranges(response).items() if is_data_plane(key)}


def is_data_plane(key: int) -> bool:
    return key < 3 or 8 <= key <= 16 or 21 <= key <= 28 or key in (42, 47, 61, 65, 66) or key >= 83
