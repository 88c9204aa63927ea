"""Any life of a cluster: commands that hypothesis strings together, and what each must keep."""

import hashlib
import random

from hypothesis import strategies as st

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.partitions import broker_changes
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from tests.builders import CLUSTER_ID, ControllerUnderTest, directory_of
from tests.core.audit import Audit, is_fence, is_unfence

BROKERS = (1, 2, 3, 4)
TOPICS = ("t", "u")
SESSION_MS = 9000

brokers, topics, flags = st.sampled_from(BROKERS), st.sampled_from(TOPICS), st.booleans()
mostly_false = st.sampled_from((False, False, False, True))
COMMAND = st.one_of(
    st.tuples(st.just("register"), brokers, st.sampled_from("aab"), flags, mostly_false),
    st.tuples(
        st.just("heartbeat"),
        brokers,
        st.sampled_from((0, 0, 0, 0, 0, -1, 1)),
        st.sampled_from((0, 0, 0, -3, -1000)),
        mostly_false,
        mostly_false,
        mostly_false,
    ),
    st.tuples(st.just("heartbeats"), st.sets(brokers, min_size=2)),
    st.tuples(st.just("serve"), st.sets(brokers, min_size=2)),
    st.tuples(st.just("wait"), st.sampled_from((0, 1, 400, 2000, 2000, 4500, 9000, 9001, 10125))),
    st.tuples(st.just("create"), topics, st.lists(brokers, min_size=1, max_size=3), flags),
    st.tuples(st.just("place"), topics, st.integers(1, 3), st.integers(1, 4)),
    st.tuples(st.just("delete"), topics),
    st.tuples(st.just("alter"), topics, st.lists(brokers, max_size=3), st.sampled_from((0, 0, -1))),
    st.tuples(st.just("unregister"), brokers),
    st.tuples(st.just("decommission"), brokers, flags),
    st.tuples(st.just("fail_over")),
)


class Life:
    """One cluster, one command after the other; `check` after each."""

    def __init__(self, profile: Profile = DEFAULT_PROFILE) -> None:
        self.cluster = ControllerUnderTest(profile)
        self.audit = Audit(self.cluster)
        self.contact_ms: dict[int, int] = {}
        self.heard_since_claim = False

    def do(self, command: tuple) -> None:
        verb, *arguments = command
        self.audit.decommissions = verb == "decommission"
        getattr(self, verb)(*arguments)
        self.cluster.run_for("0ms")  # whatever is due now
        self.check()

    def check(self) -> None:
        self.audit.follow()
        node = self.cluster.node
        assert replay(node.log.batches) == node.committed == node.latest
        assert set(node.leases.liveness) == set(node.latest.brokers)
        for broker_id, broker in node.latest.brokers.items():
            assert node.leases.liveness[broker_id].fenced == broker.fenced
        self._leases_hold_their_bounds()
        self._unfences_pass_no_partition_over()

    def _unfences_pass_no_partition_over(self) -> None:
        """Rule 2.22: an unfence looks at every leaderless partition, or at those that matter."""
        state = self.cluster.node.state
        leaderless = state.image.index.leaderless()
        for broker_id in state.image.brokers:
            all_of_them = broker_changes.leader_and_isr_changes(state, leaderless, add=broker_id)
            assert all_of_them == broker_changes.with_broker(state, broker_id), "2.22"

    def _leases_hold_their_bounds(self) -> None:
        """Rule 9.14; and in 3.9 its exception 2.41."""
        exact = self.cluster.node.profile.expiry_checks_per_session is None
        if exact and not self.heard_since_claim:
            return
        bound_ms = SESSION_MS if exact else SESSION_MS + SESSION_MS // 8
        for broker_id, broker in self.cluster.image.brokers.items():
            silent_ms = self.cluster.timeline.now_ms - self.contact_ms[broker_id]
            assert broker.fenced or silent_ms <= bound_ms, "9.14"

    def ask(self, verb, *arguments, **fields):
        """Whatever is refused changes nothing, soft state included."""
        before = self.cluster.everything()
        reply = verb(*arguments, **fields)
        if isinstance(reply, ApiError):
            assert before == self.cluster.everything(), f"{reply} changed something"
        return reply

    # Commands

    def register(self, broker_id: int, incarnation: str, other_dirs: bool, foreign: bool) -> None:
        fields = {"cluster_id": "another" if foreign else CLUSTER_ID}
        dirs = (directory_of(broker_id, 0), directory_of(broker_id, 1 + other_dirs))
        stored = self.cluster.image.brokers.get(broker_id)
        held = self._is_held(stored, broker_id)
        reply = self.ask(
            self.cluster.register, broker_id, incarnation, log_dirs=dirs, rack="ab"[broker_id % 2],
            **fields,
        )  # fmt: skip
        if isinstance(reply, ApiError):
            return
        assert not foreign, "9.9"
        amends = stored is not None and stored.broker_epoch == reply.broker_epoch
        assert amends or not held, "9.7"
        self.heard_since_claim = True
        if not amends or not self.cluster.node.profile.contacts_by_epoch:
            self.contact_ms[broker_id] = self.cluster.timeline.now_ms

    def _is_held(self, stored, broker_id: int) -> bool:
        if stored is None or stored.fenced or stored.in_controlled_shutdown:
            return False
        return self.cluster.timeline.now_ms - self.contact_ms[broker_id] <= SESSION_MS

    def heartbeat(
        self, broker_id, wrong_by, behind, want_fence, want_shut_down, loses_directory
    ) -> None:
        stored = self.cluster.image.brokers.get(broker_id)
        request = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=wrong_by + (stored.broker_epoch if stored else 1),
            current_metadata_offset=max(-1, self.cluster.end - 1 + behind),
            want_fence=want_fence,
            want_shut_down=want_shut_down,
            offline_log_dirs=(directory_of(broker_id, 0),) if loses_directory else (),
        )
        mark = self.cluster.end
        reply = self.ask(self.cluster.ask, request)
        if stored is None or wrong_by:
            assert isinstance(reply, ApiError), "9.8"
            return
        self.contact_ms[broker_id] = self.cluster.timeline.now_ms
        self.heard_since_claim = True
        if any(map(is_unfence, self.cluster.records_since(mark))):
            assert not want_fence, "9.12"
            assert not want_shut_down, "9.12"
            assert request.current_metadata_offset >= stored.register_offset, "9.12"
        if reply.should_shut_down:
            assert not self.cluster.image.index.leads(broker_id), "9.16"

    def heartbeats(self, broker_ids) -> None:
        for broker_id in sorted(broker_ids):
            self.heartbeat(broker_id, 0, 0, False, False, False)

    def serve(self, broker_ids) -> None:
        for broker_id in sorted(broker_ids):
            self.register(broker_id, "a", False, False)
        self.heartbeats(broker_ids)

    def fail_over(self) -> None:
        self.cluster.fail_over()
        self.contact_ms = dict.fromkeys(self.cluster.image.brokers, self.cluster.timeline.now_ms)
        self.heard_since_claim = False

    def create(self, name, replicas, min_isr_2) -> None:
        configs = {"min.insync.replicas": "2"} if min_isr_2 else {}
        self.cluster.create_topic(name, tuple(replicas), configs=configs)

    def place(self, name, broker_changes, factor) -> None:
        fields = {"num_partitions": broker_changes, "replication_factor": factor}
        if self.cluster.create_topic(name, **fields).error_code:
            return
        for p in range(broker_changes):
            replicas = self.cluster.partition(name, p).replicas
            assert len(set(replicas)) == len(replicas) == factor, "4.49"
            assert not self.cluster.is_fenced(replicas[0]), "9.28"

    def delete(self, name) -> None:
        self.cluster.delete_topic(name)

    def alter(self, name, isr, stale) -> None:
        if name not in self.cluster.image.topic_ids or self.cluster.partition(name).leader < 0:
            return
        partition = self.cluster.partition(name)
        result = self.cluster.alter_partition(
            name, tuple(isr), partition_epoch=partition.partition_epoch + stale
        )
        assert result.error_code or not stale

    def unregister(self, broker_id) -> None:
        self.ask(self.cluster.unregister, broker_id)

    def decommission(self, broker_id, force) -> None:
        self.ask(self.cluster.decommission, broker_id, force=force)

    def wait(self, duration_ms) -> None:
        mark = self.cluster.end
        self.cluster.run_for(f"{duration_ms}ms")
        for batch in self.cluster.batches_since(mark):
            at_ms = batch.timestamp_ms - self.cluster.timeline.wall_ms
            at_ms += self.cluster.timeline.now_ms
            for record in filter(is_fence, batch.records):
                assert at_ms > self.contact_ms[record.broker_id] + SESSION_MS, "9.13"


def digest_of_a_busy_run(seed: int) -> str:
    """The log of a run drawn from `seed`, as one number that two processes can compare."""
    cluster, rnd = ControllerUnderTest(seed=seed), random.Random(seed)
    cluster.unfenced(*range(1, 9))
    for number in range(6):
        cluster.created(f"t{number}", num_partitions=8, replication_factor=3)
    for _ in range(12):
        alive = rnd.sample(range(1, 9), 5)
        cluster.keep_alive(*alive, during="6s")
        cluster.decommission(rnd.randrange(1, 9), force=True)
        cluster.registered(*range(1, 9))
    text = repr(cluster.node.log.batches)
    return hashlib.sha256(text.encode()).hexdigest()
