"""Any sequence of requests of every API keeps the invariants of rule book section 9.

The requests are those that a released controller is judged with (`tests/differential/generate`).
`ledger.py` judges the records, apart from the code that writes and replays them.
"""

import os
from dataclasses import replace
from random import Random
from typing import cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from kraftsim.controller.core.feature_levels import elr_enabled
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.loader import Loader, replay
from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.image.snapshot_batches import snapshot_batches
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.record_versions import record_version
from kraftsim.controller.core.profile import KAFKA_4_4
from kraftsim.controller.core.rpc import DecommissionBrokerRequest, Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json
from kraftsim.controller.wire.records.record_batch import decode_batch, encode_batch
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot, encode_snapshot
from tests.builders import CLUSTER_ID, ControllerUnderTest
from tests.core.ledger import Ledger
from tests.differential.generate import EVERY_DRAW, configs, draw_steps
from tests.differential.generate.draft import BROKERS, Draft
from tests.differential.generate.sequences import Draw
from tests.differential.history import History
from tests.differential.judge import KEYS
from tests.differential.sequence import Ask
from tests.differential.symbols import resolve
from tests.released.releases import RELEASES

pytestmark = pytest.mark.slow

SOAK_EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "0"))
SEEDS = st.integers(0, 2**32 - 1)


class EveryApi(RuleBasedStateMachine):
    """One controller in virtual time; requests alone register brokers and keep their leases."""

    def __init__(self) -> None:
        super().__init__()
        self.cluster = ControllerUnderTest(KAFKA_4_4)
        self.draft = Draft(Random(0), RELEASES["4.4.0"], CLUSTER_ID, 0)
        self.history, self.ledger = History(), Ledger()
        self.snapshots: list[tuple[int, bytes, bool]] = []  # end offset, file, has ELR
        self.follow()

    @rule(seed=SEEDS)
    def opens(self, seed: int) -> None:
        """Brokers register and serve, and topics are created."""
        self.draft.random.seed(seed)
        for step in draw_steps(self.draft):
            self.send(cast(Ask, step))

    @rule(seed=SEEDS, draws=st.lists(st.sampled_from(EVERY_DRAW), min_size=1, max_size=8))
    def asks(self, seed: int, draws: list[Draw]) -> None:
        self.draft.random.seed(seed)
        for draw in draws:
            self.draft.changes_min_isr = draw is configs.alter  # it clears ELRs
            self.send(draw(self.draft))

    @rule(broker_id=st.integers(1, BROKERS), force=st.booleans())
    def decommissions(self, broker_id: int, force: bool) -> None:
        self.cluster.ask(DecommissionBrokerRequest(broker_id=broker_id, force=force))

    @rule(duration=st.sampled_from(("1ms", "2s", "5s", "9s", "11s", "360s")))
    def time_passes(self, duration: str) -> None:
        self.cluster.run_for(duration)

    @rule()
    def fails_over(self) -> None:
        self.cluster.fail_over()

    @rule()
    def takes_a_snapshot(self) -> None:
        image = self.cluster.node.committed
        data = encode_snapshot(list(batches_of(image)))
        self.snapshots.append((image.offset + 1, data, elr_enabled(image.features)))

    def send(self, step: Ask) -> None:
        message = APIS[KEYS[step.api]].request
        request = from_json(message, resolve(step.body, self.history))
        self.cluster.ask(cast(Request, request))
        self.follow()

    def follow(self) -> None:
        """Judges what was written since the last time, from the bytes of the batches."""
        for batch in self.cluster.node.log.read(self.ledger.end_offset):
            read = decode_batch(encode_batch(replace(batch, encoded=[])))
            assert read == batch
            self.history.follow([read])
            self.ledger.follow(read)

    @invariant()
    def image_is_the_fold_of_the_log(self) -> None:
        self.follow()
        node = self.cluster.node
        assert node.latest == node.committed
        self.ledger.check_image(node.committed)

    def teardown(self) -> None:
        """The whole log, and each snapshot with its tail, lead to the same image."""
        node = self.cluster.node
        assert replay(node.log.batches) == node.committed
        for end_offset, data, has_elr in self.snapshots:
            loader = Loader.of_snapshot(decode_snapshot(data), end_offset, 1)
            for batch in node.log.batches:
                if batch.base_offset >= end_offset:
                    loader.load(batch)
            if has_elr:
                assert placeless(loader.image) == placeless(node.committed)
            else:  # Kafka's snapshots leave the ELR out
                assert without_elr(loader.image) == without_elr(node.committed)


def batches_of(image: Image) -> list[Batch]:
    level = image.metadata_version
    return list(
        snapshot_batches(
            ((record, record_version(record, level)) for record in records_of(image)),
            epoch=image.epoch,
            timestamp_ms=0,
            last_contained_log_timestamp=0,
            kraft_version=image.kraft_version,
        )
    )


def without_elr(image: Image) -> dict[tuple[bytes, int], Partition]:
    """The partitions without ELR and last known leaders."""
    return {
        (topic_id, number): replace(partition, elr=(), last_known_elr=())
        for topic_id, topic in image.topics.items()
        for number, partition in topic.partitions.items()
    }


def placeless(image: Image) -> Image:
    """The image without the offsets of its records, which a snapshot does not have."""
    image = image.copy()
    image.features_offset = image.transaction_offset = image.offset = image.epoch = 0
    image.open_transaction = None
    for broker_id, broker in image.brokers.items():
        image.own_brokers()[broker_id] = replace(broker, register_offset=0)
    return image


@pytest.mark.rule("9.1", "9.2", "9.4", "9.6", "9.10", "9.11", "9.18", "9.19", "9.20", "9.21")
@pytest.mark.rule("9.22", "9.23", "9.24", "9.25", "9.28", "9.31", "9.33", "9.46")
def test_no_sequence_of_any_api_breaks_an_invariant() -> None:
    run_state_machine_as_test(
        EveryApi,
        settings=settings(
            deadline=None,
            max_examples=SOAK_EXAMPLES or 60,
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_every_api_of_the_table_is_drawn() -> None:
    draft = Draft(Random(1), RELEASES["4.4.0"], CLUSTER_ID, 0)
    for step in draw_steps(draft):
        assert isinstance(step, Ask)
    drawn = {
        type(from_json(APIS[KEYS[step.api]].request, resolve(step.body, History())))
        for draw in EVERY_DRAW
        for step in (draw(draft) for _ in range(30))
    }

    newest = draft.release.profile.newest_versions
    absent = {request for request in HANDLERS if newest.get(request.api_key) == -1}
    assert set(HANDLERS) - drawn == {DecommissionBrokerRequest} | absent
