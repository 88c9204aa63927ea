"""A history of a quorum: steps that somebody draws, each of them watched."""

from dataclasses import replace

from kraftsim.controller.raft import conduct
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.scenarios.explore.quorum_safety import Safety
from tests.raft.replicas import Replicas
from tests.raft.requests import add_voter, remove_voter

COMMON = ["deliver"] * 8 + ["run"] * 2 + ["fire"] * 4 + ["flush"] * 3 + ["write"] * 2
TROUBLE = ["lose", "lose", "duplicate", "crash", "start", "start", "isolate", "heal", "resign"]
SNAPSHOTS = ["take_snapshot"] * 2
CHANGES = ["run", "add", "add", "remove", "remove"]


class History:
    """Each step names a verb, and by a number what it is done to."""

    def __init__(self, voters, *, spares=0, has_slow_disks=True):
        self.safety = Safety()
        self.replicas = Replicas(
            range(1, voters + 1), has_slow_disks=has_slow_disks, watch=self.safety.check
        )
        self.down = set()
        for spare in range(voters + 1, voters + 1 + spares):
            self.replicas.add(spare)

    def do(self, verb, number):
        getattr(self, verb)(number)

    def node(self, number):
        nodes = sorted(self.replicas.quorums)
        return nodes[number % len(nodes)]

    def message(self, number):
        return self.replicas.in_flight[number % len(self.replicas.in_flight)]

    def deliver(self, number):
        if self.replicas.in_flight:
            self.replicas.deliver(self.message(number))

    def lose(self, number):
        if self.replicas.in_flight:
            self.replicas.lose(self.message(number))

    def duplicate(self, number):
        """A request that is sent twice. What waits for an answer knows which one it waits for."""
        if self.replicas.in_flight:
            message = self.message(number)
            self.replicas.deliver(message)
            self.replicas.in_flight.append(replace(message))

    def fire(self, number):
        node_id = self.node(number)
        self.replicas.step(node_id, conduct.on_deadline)
        if self.replicas.due_ms[node_id] < NEVER_MS:
            self.replicas.fire(node_id)

    def flush(self, number):
        self.replicas.flush(self.node(number))

    def crash(self, number):
        if len(self.replicas.quorums) > 1:
            node_id = self.node(number)
            self.replicas.crash(node_id)
            self.down.add(node_id)

    def start(self, number):
        if self.down:
            self.replicas.start(self.down.pop())

    def isolate(self, number):
        self.replicas.isolate(self.node(number))

    def heal(self, number):
        self.replicas.heal()

    def write(self, number):
        if self.replicas.leader is not None:
            self.replicas.write(1 + number % 2)

    def resign(self, number):
        if self.replicas.leader is not None:
            self.replicas.resign(self.replicas.leader.me.node_id)

    def take_snapshot(self, number):
        node_id = self.node(number)
        quorum = self.replicas.quorums[node_id]
        if quorum.high_watermark > quorum.log.start_offset:
            self.replicas.take_snapshot(node_id)

    def add(self, number):
        self.change(add_voter, number)

    def remove(self, number):
        self.change(remove_voter, number)

    def change(self, request, number):
        if self.replicas.leader is not None:
            nodes = sorted(self.replicas.disks)
            node_id = nodes[number % len(nodes)]
            leader = self.replicas.leader.me.node_id
            self.replicas.submit(leader, request(node_id), "change")

    def run(self, number):
        """All goes well for a while; disks are as slow as they are."""
        end_ms = self.replicas.now_ms + 20 * (1 + number)
        while self.replicas.now_ms < end_ms:
            for node_id in sorted(self.replicas.quorums):
                self.replicas.flush(node_id)
            self.replicas.run_for(20)

    @property
    def is_stuck(self):
        """A leader that removed itself lost its leadership before anybody else had that record. It
        never stands again, as it is no voter to itself, and refuses its vote to the others, whose
        logs are shorter: Kafka, too, does not recover from this (rules 10.2, 10.12, 10.50)."""
        return self.replicas.leader is None and any(
            not quorum.is_voter and quorum.history.latest_offset >= quorum.high_watermark
            for quorum in self.replicas.quorums.values()
        )

    def end_well(self):
        """Everything is up, connected and quick: then somebody leads, and all have its log."""
        self.replicas.heal()
        while self.down:
            self.start(0)
        self.replicas.has_slow_disks = False
        for node_id in sorted(self.replicas.quorums):
            self.replicas.flush(node_id)
        self.replicas.run_for(20_000)
        if self.is_stuck:
            return
        leader = self.replicas.elect()
        self.replicas.write()
        self.replicas.run_for(5000)
        ends = {quorum.log.end_offset for quorum in self.replicas.quorums.values()}
        marks = {quorum.high_watermark for quorum in self.replicas.quorums.values()}
        assert ends == marks == {leader.log.end_offset}
