"""The table of APIs: what Kafka 4.4 offers of them, and where."""

import subprocess
import sys

import pytest

from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.messages.declared import ON_DEMAND, of_sort
from tests.offered_by_kafka import OFFERED_BY_KAFKA

DATA_PLANE = {api.key for api in of_sort("api") if api.subject in ON_DEMAND}
"""Their versions are held against recordings in tests/golden/test_listed_apis.py."""


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
