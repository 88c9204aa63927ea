"""The table of APIs: what Kafka 4.4 offers of them, and where."""

import subprocess
import sys

import pytest

from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.messages.declared import ON_DEMAND, of_sort

DATA_PLANE = {api.key for api in of_sort("api") if api.subject in ON_DEMAND}
"""Their versions are held against recordings in tests/golden/test_listed_apis.py."""
OFFERED_BY_KAFKA = {
    1: ("Fetch", 4, 18, "broker", "controller"),
    3: ("Metadata", 0, 13, "broker"),
    18: ("ApiVersions", 0, 5, "broker", "controller"),
    19: ("CreateTopics", 2, 7, "broker", "controller"),
    20: ("DeleteTopics", 1, 6, "broker", "controller"),
    29: ("DescribeAcls", 1, 3, "broker", "controller"),
    30: ("CreateAcls", 1, 3, "broker", "controller"),
    31: ("DeleteAcls", 1, 3, "broker", "controller"),
    35: ("DescribeLogDirs", 1, 5, "broker"),
    37: ("CreatePartitions", 0, 3, "broker", "controller"),
    43: ("ElectLeaders", 0, 2, "broker", "controller"),
    45: ("AlterPartitionReassignments", 0, 1, "broker", "controller"),
    46: ("ListPartitionReassignments", 0, 0, "broker", "controller"),
    32: ("DescribeConfigs", 1, 4, "broker", "controller"),
    33: ("AlterConfigs", 0, 2, "broker", "controller"),
    44: ("IncrementalAlterConfigs", 0, 1, "broker", "controller"),
    48: ("DescribeClientQuotas", 0, 1, "broker"),
    49: ("AlterClientQuotas", 0, 1, "broker", "controller"),
    50: ("DescribeUserScramCredentials", 0, 0, "broker", "controller"),
    51: ("AlterUserScramCredentials", 0, 0, "broker", "controller"),
    52: ("Vote", 0, 2, "controller"),
    53: ("BeginQuorumEpoch", 0, 1, "controller"),
    54: ("EndQuorumEpoch", 0, 1, "controller"),
    55: ("DescribeQuorum", 0, 2, "broker", "controller"),
    56: ("AlterPartition", 2, 3, "controller"),
    57: ("UpdateFeatures", 0, 2, "broker", "controller"),
    58: ("Envelope", 0, 0, "controller"),
    59: ("FetchSnapshot", 0, 1, "controller"),
    60: ("DescribeCluster", 0, 2, "broker", "controller"),
    62: ("BrokerRegistration", 0, 4, "controller"),
    63: ("BrokerHeartbeat", 0, 2, "controller"),
    64: ("UnregisterBroker", 0, 0, "broker", "controller"),
    67: ("AllocateProducerIds", 0, 0, "controller"),
    70: ("ControllerRegistration", 0, 0, "controller"),
    75: ("DescribeTopicPartitions", 0, 0, "broker"),
    71: ("GetTelemetrySubscriptions", 0, 0, "broker"),
    72: ("PushTelemetry", 0, 0, "broker"),
    73: ("AssignReplicasToDirs", 0, 0, "controller"),
    74: ("ListConfigResources", 0, 1, "broker"),
    80: ("AddRaftVoter", 0, 1, "broker", "controller"),
    81: ("RemoveRaftVoter", 0, 0, "broker", "controller"),
    82: ("UpdateRaftVoter", 0, 0, "controller"),
    94: ("UnregisterController", 0, 0, "broker", "controller"),
}


@pytest.mark.rule("1.1", "2.1", "3.1", "5.1", "5.2", "5.5")
def test_names_versions_and_listeners_are_kafkas() -> None:
    table = {
        key: (api.name, api.min_version, api.max_version, *sorted(api.listeners))
        for key, api in APIS.items()
        if key not in DATA_PLANE
    }

    assert table == OFFERED_BY_KAFKA


def test_a_request_and_its_response_have_the_same_versions() -> None:
    for api in APIS.values():
        request, response = api.request, api.response
        assert (request.min_version, request.max_version, request.flexible_since) == (
            response.min_version,
            response.max_version,
            response.flexible_since,
        )
        assert api.speaks(api.min_version) == api.speaks(api.max_version) is True
        assert api.speaks(api.max_version + 1) is api.speaks(-1) is False


def test_importing_a_service_loads_no_checksum_reads_no_schema_and_compiles_nothing() -> None:
    """crc32c imports importlib.metadata, which takes longer than all of the wire."""
    program = (
        "import sys; from kraftsim.controller.wire.codec import schema_text\n"
        "schema_text.read_messages = None  # a read schema is a TypeError\n"
        "from kraftsim.commands import up\n"
        "from kraftsim.controller.wire.codec import compiler\n"
        "from kraftsim.controller.wire.json import json_form\n"
        "print('crc32c' in sys.modules, 'difflib' in sys.modules,"
        " compiler.decoder.cache_info().currsize, compiler.encoder.cache_info().currsize)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False False 0 0\n", "")
