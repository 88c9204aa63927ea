"""A listener with TLS or SASL is refused: a plaintext port in its place would let everybody in."""

from pathlib import Path
from typing import Any

import pytest

from kraftsim.options import ClusterOptions

NODE = """\
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:9092,CTRL://127.0.0.1:9093
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CTRL:SASL_PLAINTEXT
controller.listener.names=CTRL
controller.quorum.voters=1@127.0.0.1:9093
log.dirs=/tmp/none
"""
EXPECTED = "listeners: expected PLAINTEXT, because kraftsim has no TLS and no SASL, got"
COMMANDS = (
    "up",
    "controller run --cluster-id c",
    "agent --cluster-id c --controller 127.0.0.1:9990",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_with_a_protected_listener_starts_nothing(
    run: Any, tmp_path: Path, command: str
) -> None:
    config = tmp_path / "server.properties"
    config.write_text(NODE, "utf-8")

    code, _, err = run(f"{command} --config {config}")

    assert code == 2
    assert f"--config: {EXPECTED} SASL_PLAINTEXT for CTRL: leave this listener out" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_protected_listener_of_an_option_starts_nothing(run: Any, command: str) -> None:
    code, _, err = run(f"{command} --set listeners=SSL://127.0.0.1:9092")

    assert code == 2
    assert f"--set: {EXPECTED} SSL for SSL" in err


def test_a_protected_listener_among_the_settings_of_a_cluster_is_refused() -> None:
    with pytest.raises(ValueError, match=f"settings: {EXPECTED} SASL_SSL for SASL_SSL"):
        ClusterOptions(settings={"listeners": "SASL_SSL://127.0.0.1:9092"})
