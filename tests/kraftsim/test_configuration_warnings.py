"""A dynamic configuration that has no effect is stored, and a line of the log says why: once."""

import asyncio
import sys

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import ClientQuotaRecord, ConfigRecord, QuotaEntity
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.quotas.limits import KEYS
from kraftsim.service.configuration_warnings import ConfigurationWarnings
from tests.limits import LIMIT_S
from tests.walk.verdicts import DYNAMIC_ACTING

TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line for line in caplog.messages if "has no effect" in line]


def batch_of(resource_type: int, name: str, value: str | None = "1") -> Batch:
    record = ConfigRecord(resource_type=resource_type, resource_name="x", name=name, value=value)
    return Batch(base_offset=0, epoch=1, timestamp_ms=0, records=(record,), versions=(0,))


async def test_a_cluster_of_three_controllers_warns_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Cluster(controllers=3, clock="virtual") as kraft:
        await kraft.topics.create("t", partitions=1, replication_factor=1)
        for value in ("1", "2"):
            await kraft.configs.set("topic", "t", {"flush.ms": value, "retention.ms": value})
        await kraft.clock.advance("5s")

    assert warnings_of(caplog) == [
        "flush.ms of a topic has no effect: "
        "simulated brokers keep their logs in memory, without files and threads"
    ]


@pytest.mark.realtime
@pytest.mark.slow
async def test_the_process_of_brokers_warns_too_because_its_controller_may_be_kafkas() -> None:
    async with Cluster(brokers=0, controller_port=0) as kraft:
        await kraft.configs.set("broker", "default", {"log.cleaner.threads": "2"})
        words = ("--controller", kraft.bootstrap_controllers, "--cluster-id", kraft.cluster_id)
        agent = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "kraftsim", "agent", *words),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        assert agent.stderr is not None
        try:
            async with asyncio.timeout(LIMIT_S):
                async for line in agent.stderr:
                    if b"log.cleaner.threads of a broker has no effect" in line:
                        break
                else:
                    pytest.fail("the process ended without a warning")
        finally:
            agent.kill()
            await agent.wait()


@pytest.mark.parametrize(
    ("resource_type", "name", "line"),
    [
        (GROUP, "share.isolation.level", "of a group has no effect: kraftsim has no groups"),
        (BROKER, "log.cleaner.threads", "without files and threads"),
        (BROKER, "listener.name.inside.ssl.keystore.location", "are plaintext"),
        (BROKER, "log.flush.interval.ms", "without files"),
        (TOPIC, "remote.log.copy.disable", "no remote storage"),
    ],
)
def test_the_line_says_why(
    resource_type: int, name: str, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    ConfigurationWarnings().check(DEFAULT_PROFILE, batch_of(resource_type, name))

    (said,) = warnings_of(caplog)
    assert said.startswith(f"{name} of a ")
    assert line in said


@pytest.mark.parametrize(
    ("resource_type", "name", "value"),
    [
        *((TOPIC, name, "1") for name in DYNAMIC_ACTING["topic"]),
        *((BROKER, name, "1") for name in ("cordoned.log.dirs", "log.retention.ms", "unknown")),
        (CLIENT_METRICS, "interval.ms", "1000"),
        (TOPIC, "flush.ms", None),
    ],
)
def test_what_acts_and_what_is_removed_has_no_warning(
    resource_type: int, name: str, value: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    ConfigurationWarnings().check(DEFAULT_PROFILE, batch_of(resource_type, name, value))

    assert warnings_of(caplog) == []


def quota_batch(key: str, *, remove: bool = False) -> Batch:
    entity = (QuotaEntity(entity_type="client-id", entity_name="x"),)
    record = ClientQuotaRecord(entity=entity, key=key, value=1.0, remove=remove)
    return Batch(base_offset=0, epoch=1, timestamp_ms=0, records=(record,), versions=(0,))


def test_each_quota_acts_or_has_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    warnings = ConfigurationWarnings()
    for key in KEYS:
        warnings.check(DEFAULT_PROFILE, quota_batch(key, remove=True))
    assert warnings_of(caplog) == []
    for key in (*KEYS, *KEYS):
        warnings.check(DEFAULT_PROFILE, quota_batch(key))

    acting = {"producer_byte_rate", "consumer_byte_rate", "controller_mutation_rate"}
    assert [line.split()[0] for line in warnings_of(caplog)] == [k for k in KEYS if k not in acting]
    assert warnings_of(caplog)[0] == (
        "request_percentage of a client quota has no effect: "
        "simulated brokers have no threads whose time a request could take"
    )
