"""Nothing may kill a quorum: after messages of any values, its voters elect and commit."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim.controller.raft import conduct, leading
from kraftsim.controller.raft.protocol import Answered, Channel
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.scenarios.explore import quorum_events
from tests.raft.hostile import NUMBERS, REQUESTS, answer_to, spoiled
from tests.raft.replicas import Replicas

pytestmark = pytest.mark.slow


EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "40"))
VOTERS, OBSERVER = (1, 2, 3), 4
RECOVERY_MS = 10_000
RETRY_MS = 20  # a line that has failed rests for so long
SENT_MAX = (len(VOTERS) + 1) * len(VOTERS) * RECOVERY_MS // RETRY_MS

numbers = st.integers(0, 99)
places = st.lists(st.tuples(numbers, st.integers(0, NUMBERS - 1)), max_size=3)
members = st.sampled_from((*VOTERS, OBSERVER))
steps = st.one_of(
    st.tuples(
        st.just("ask"),
        members,
        st.sampled_from((*VOTERS, OBSERVER, 7)),
        st.integers(0, len(REQUESTS) - 1),
        places,
    ),
    st.tuples(st.just("forge"), numbers, numbers, places),
    st.tuples(st.just("lie"), members, numbers, places, st.sampled_from((50, 500, 4000))),
    st.tuples(st.just("run"), st.sampled_from((0, 1, 100, 2500))),
    st.tuples(st.just("fire"), members),
    st.tuples(st.sampled_from(("write", "resign", "take_snapshot"))),
)


class LiedTo(Replicas):
    """While `liar` is set, it answers every request of `victim` with what `lie` makes of it."""

    liar, victim, lie = 0, 0, None

    def deliver(self, message):
        is_lied_to = (message.sender, message.receiver) == (self.victim, self.liar)
        if message.is_answer or not is_lied_to:
            super().deliver(message)
        else:
            self.in_flight.remove(message)
            self.in_flight.append(message.answered(self.lie(message.request)))


class Siege:
    """Three voters and an observer. Anybody is asked anything; `victim` alone is answered falsely,
    so that the other two voters are an honest majority."""

    def __init__(self, victim):
        self.victim = victim
        self.replicas = LiedTo(VOTERS)
        self.replicas.victim = victim
        self.replicas.add(OBSERVER)
        self.replicas.elect()
        self.replicas.write(3)
        self.replicas.run_for(1000)

    def ask(self, target, sender, kind, places):
        request = REQUESTS[kind](sender, self.replicas.quorums[target])
        self.replicas.submit(target, spoiled(request, places), "hostile")

    def forge(self, line_number, variant, places):
        """Answer what the victim waits for in the place of the replica that it has asked."""
        quorum = self.replicas.quorums[self.victim]
        lines = sorted(quorum_events.lines(quorum).items())
        if not lines:
            return
        peer_id, line = lines[line_number % len(lines)]
        response = spoiled(answer_to(line.request, peer_id, quorum, variant), places)
        event = Answered(
            channel=Channel.RAFT, peer_id=peer_id, number=line.number, response=response
        )
        self.replicas.step(self.victim, conduct.on_answer, event)

    def lie(self, liar, variant, places, milliseconds):
        """All that the victim asks of one replica is answered so, again and again."""
        quorum = self.replicas.quorums[self.victim]
        self.replicas.liar = liar
        self.replicas.lie = lambda request: spoiled(
            answer_to(request, liar, quorum, variant), places
        )
        self.replicas.run_for(milliseconds)
        self.replicas.liar = 0

    def run(self, milliseconds):
        self.replicas.run_for(milliseconds)

    def fire(self, node_id):
        if self.replicas.due_ms[node_id] < NEVER_MS:
            self.replicas.fire(node_id)

    def write(self):
        if self.replicas.leader is not None:
            self.replicas.write()

    def resign(self):
        if self.replicas.leader is not None:
            self.replicas.resign(self.replicas.leader.me.node_id)

    def take_snapshot(self):
        leader = self.replicas.leader
        if leader is not None and leader.high_watermark > leader.log.start_offset:
            self.replicas.take_snapshot(leader.me.node_id)

    def commits(self):
        """Does somebody lead, and commit what it writes, within `RECOVERY_MS`?"""
        end_ms = self.replicas.now_ms + RECOVERY_MS
        while self.replicas.now_ms < end_ms:
            self.replicas.run_for(100)
            leader = self.replicas.leader
            if leader is not None and leading.known_high_watermark(leader) > 0:
                end_offset = self.replicas.write()
                self.replicas.run_for(100)
                if leader.high_watermark >= end_offset:
                    self.replicas.run_for(end_ms - self.replicas.now_ms)
                    return True
        return False


@pytest.mark.rule("10.8", "10.10", "10.13", "10.54")
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(victim=members, drawn=st.lists(steps, min_size=5, max_size=20))
def test_an_honest_majority_elects_and_commits_after_hostile_values(victim, drawn):
    siege = Siege(victim)
    for verb, *arguments in drawn:
        getattr(siege, verb)(*arguments)

    siege.replicas.requests_sent = 0
    assert siege.commits()
    assert siege.replicas.requests_sent < SENT_MAX


@pytest.mark.rule("10.54")
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(victim=members, liar=st.sampled_from(VOTERS), variant=numbers, places=places)
def test_a_replica_that_is_lied_to_all_the_time_does_not_spin(victim, liar, variant, places):
    siege = Siege(victim)
    siege.replicas.requests_sent = 0
    siege.lie(liar, variant, places, RECOVERY_MS)

    assert siege.replicas.requests_sent < SENT_MAX
    assert siege.commits()
