"""The listeners of `kraftsim agent` have the versions of the release that `--profile` names."""

from contextlib import closing
from pathlib import Path

import pytest

from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.rpc import ApiVersionsRequest, ApiVersionsResponse
from tests.free_ports import free_port
from tests.interop.running import kraftsim_agents, kraftsim_up
from tests.released.controller import Connection

pytestmark = pytest.mark.interop
API_VERSIONS = 18


@pytest.mark.parametrize("profile", ["kafka-4.3", "kafka-4.4"])
def test_a_listener_has_the_versions_of_its_profile(tmp_path: Path, profile: str) -> None:
    options = ("--profile", profile)
    port = free_port()
    with (
        kraftsim_up(tmp_path, *options, brokers=0) as kraft,
        kraftsim_agents(tmp_path, kraft, *options, "--kafka-port", str(port), count=1),
        closing(Connection(port)) as client,
    ):
        listed = client.ask(API_VERSIONS, 0, ApiVersionsRequest())

    assert isinstance(listed, ApiVersionsResponse)
    newest = {api.api_key: api.max_version for api in listed.api_keys}
    assert newest[API_VERSIONS] == PROFILES[profile].api_versions_max
