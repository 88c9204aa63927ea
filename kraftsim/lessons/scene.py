"""The picture of a world at one instant: who leads, who has a lease, and who believes what.

A page draws it, live or from a lesson. Its times are those of the timeline, so that a scene stays
true while nothing happens but the passing of time.
"""

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.leading.replica_states import replica_states
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey
from kraftsim.controller.core.node_id import controller_node, numbers_of
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.raft.roles import Candidate, Prospective
from kraftsim.controller.time.clock import Clock
from kraftsim.simulation.controller_process import ControllerProcess
from kraftsim.simulation.requests.held_messages import Holding
from kraftsim.simulation.world import World

from . import documents
from .camera import number_of

if TYPE_CHECKING:  # the logs are imported with the first message
    from kraftsim.broker_agent.log.log import Log
    from kraftsim.scenarios.stage.stage import Fault

PARTITIONS_MAX = 300  # of a scene; a page cannot show more
PARTITIONS_WITH_LOGS_MAX = 30  # whose replicas a scene shows
HELD_SHOWN_MAX = 20  # held messages of a fault
EPOCHS_MAX = 12  # newest epochs of a log strip


def scene_of(world: World, faults: Iterable["Fault"] = ()) -> documents.Scene:
    """Returns the picture of the world and of its open faults now."""
    image = world.committed
    return {
        "sessionMs": world.topology.settings.broker_session_timeout_ms,
        "committed": world.committed_log.end_offset,
        "controllers": {
            str(node_id): _controller(world, process)
            for node_id, process in world.controllers.items()
        },
        "brokers": dict(_brokers(world, image)),
        "partitions": dict(_partitions(world, image)),
        "faults": {fault.fault_id: _fault(fault) for fault in faults if fault.is_open},
    }


def _controller(world: World, process: ControllerProcess) -> documents.ControllerScene:
    node = process.node
    quorum, log, role = node.quorum, node.log, node.quorum.role
    racks = {spec.node_id: spec.rack for spec in world.topology.controllers}
    return {
        "id": node.config.node_id,
        "rack": racks.get(node.config.node_id),
        "state": process.state.value,
        "role": type(role).__name__.lower() if process.is_alive else "gone",
        "isActive": process.is_alive and node.is_active,
        "epoch": node.epoch,
        "leaderId": node.leader_id,
        "votedFor": quorum.voted.node_id if quorum.voted is not None else -1,
        "votes": sorted(role.granted) if isinstance(role, Candidate | Prospective) else [],
        "logStart": log.start_offset,
        "logEnd": log.end_offset,
        "highWatermark": node.high_watermark,
        "epochs": [
            {"epoch": epoch, "start": start} for epoch, start in log.epoch_starts[-EPOCHS_MAX:]
        ],
    }


def _brokers(world: World, image: Image) -> Iterable[tuple[str, documents.BrokerScene]]:
    racks = {spec.broker_id: spec.rack for spec in world.topology.brokers}
    for broker_id in sorted({*world.agents, *image.brokers}):
        agent = world.agents.get(broker_id)
        yield str(broker_id), _broker(world, image, broker_id, agent, racks.get(broker_id))
    for clone in world.clones.values():  # its host has an id of its own
        broker_id = clone.agent.config.broker_id
        yield f"{broker_id}+", _broker(world, image, broker_id, clone, racks.get(broker_id))


def _broker(
    world: World, image: Image, broker_id: int, agent: HostedAgent | None, rack: str | None
) -> documents.BrokerScene:
    registration = image.brokers.get(broker_id)
    truth, belief = _truth(registration), _belief(agent)
    lease: documents.LeaseScene = {
        "brokerEndUs": _believed_end_us(world, agent),
        "controllerEndUs": _granted_end_us(world, broker_id),
    }
    known = registration.incarnation_id if registration is not None else b""
    incarnation = known if agent is None or not agent.is_alive else agent.agent.incarnation_id
    return {
        "id": broker_id,
        "rack": registration.rack if registration is not None else rack,
        "state": agent.state.value if agent is not None else "NOT_SIMULATED",
        "truth": truth,
        "belief": belief,
        "mismatch": _mismatch(registration, agent, lease, world.timeline.now_us),
        "epoch": -1 if registration is None else registration.broker_epoch,
        "believedEpoch": -1 if agent is None else agent.agent.broker_epoch,
        "incarnation": uuid_text(incarnation) if incarnation else "",
        "startTimeMs": None if registration is None else registration.start_time_ms,
        "leads": len(image.index.led(broker_id)),
        "lease": lease,
    }


def _truth(registration: BrokerRegistration | None) -> str:
    if registration is None:
        return "unregistered"
    if registration.fenced:
        return "fenced"
    return "shutting down" if registration.in_controlled_shutdown else "unfenced"


def _belief(agent: HostedAgent | None) -> str:
    if agent is None or not agent.is_alive:
        return "gone"
    serves = agent.agent.state.value in ("RUNNING", "PENDING_CONTROLLED_SHUTDOWN")
    return "unfenced" if serves else "fenced"


def _mismatch(
    registration: BrokerRegistration | None,
    agent: HostedAgent | None,
    lease: documents.LeaseScene,
    now_us: int,
) -> str:
    if agent is None:
        return ""
    truth, belief = _truth(registration), _belief(agent)
    if belief == "gone":
        is_others = _is_replaced(registration, agent)
        return "orphan" if truth in ("unfenced", "shutting down") and not is_others else ""
    if belief != "unfenced":
        return ""
    if truth in ("fenced", "unregistered") or _is_replaced(registration, agent):
        return "zombie"
    end_us = lease["brokerEndUs"]
    return "in doubt" if truth == "unfenced" and end_us is not None and end_us < now_us else ""


def _is_replaced(registration: BrokerRegistration | None, agent: HostedAgent) -> bool:
    """Returns True if another process has registered the id since this process did."""
    own_epoch = agent.agent.broker_epoch
    return registration is not None and -1 < own_epoch < registration.broker_epoch


def _believed_end_us(world: World, agent: HostedAgent | None) -> int | None:
    if agent is None or not agent.is_alive or agent.agent.accepted_ms < 0:
        return None
    return _end_us(world, agent.clock, agent.agent.accepted_ms)


def _granted_end_us(world: World, broker_id: int) -> int | None:
    active = world.active
    contact_ms = None if active is None else active.node.leases.contact_ms(broker_id)
    if active is None or contact_ms is None:
        return None
    clock = world.clocks[controller_node(active.node.config.node_id)]
    return _end_us(world, clock, contact_ms)


def _end_us(world: World, clock: Clock, begin_ms: int) -> int:
    """Returns the true time at which a session that began at `begin_ms` of the clock is over."""
    end_ms = begin_ms + world.topology.settings.broker_session_timeout_ms
    late_ms = clock.now_ms - end_ms
    if late_ms < 0:
        return clock.due_us(end_ms)
    return (world.timeline.now_us // 1000 - late_ms) * 1000


def _partitions(world: World, image: Image) -> Iterable[tuple[str, documents.PartitionScene]]:
    topics = sorted(image.topics.values(), key=lambda topic: topic.name)
    all_of_them = (
        (topic, index, partition)
        for topic in topics
        for index, partition in sorted(topic.partitions.items())
    )
    logs_left = PARTITIONS_WITH_LOGS_MAX
    for topic, index, partition in islice(all_of_them, PARTITIONS_MAX):
        key = (topic.topic_id, index)
        logs = _logs(world, key, partition) if logs_left else []
        logs_left -= bool(logs)
        yield f"{topic.name}-{index}", _partition(world, key, partition, logs)


def _partition(
    world: World,
    key: PartitionKey,
    partition: Partition,
    logs: list[documents.ReplicaLogScene | None],
) -> documents.PartitionScene:
    leader = world.agents.get(partition.leader)
    log = None if leader is None else leader.store.logs.get(key)
    nothing = None if leader is None else 0
    return {
        "leader": partition.leader,
        "leaderEpoch": partition.leader_epoch,
        "replicas": list(partition.replicas),
        "isr": list(partition.isr),
        "elr": list(partition.elr),
        "adding": list(partition.adding_replicas),
        "removing": list(partition.removing_replicas),
        "logStart": nothing if log is None else log.start_offset,
        "logEnd": nothing if log is None else log.end_offset,
        "logBytes": nothing if log is None else log.size,
        "lags": [state.lag for state in replica_states(leader, key, partition)],
        "logs": logs,
    }


def _logs(
    world: World, key: PartitionKey, partition: Partition
) -> list[documents.ReplicaLogScene | None]:
    """Returns the log of each replica, the empty list if no replica has had a message."""
    hosts = [world.agents.get(broker_id) for broker_id in partition.replicas]
    logs = [None if host is None else host.store.logs.get(key) for host in hosts]
    if not any(logs):
        return []
    return [None if log is None else _log(log) for log in logs]


def _log(log: "Log") -> documents.ReplicaLogScene:
    return {
        "logStart": log.start_offset,
        "logEnd": log.end_offset,
        "highWatermark": log.high_watermark,
        "epochs": [
            {"epoch": epoch, "start": start} for epoch, start in log.epochs.entries[-EPOCHS_MAX:]
        ],
    }


def _fault(fault: "Fault") -> documents.FaultScene:
    sides = [list(numbers_of(nodes)) for nodes in fault.targets]
    held = [_held(number, held) for number, held in islice(fault.held, HELD_SHOWN_MAX)]
    return {"verb": fault.kind, "sides": sides, "held": held, "heldCount": len(fault.held)}


def _held(number: int, holding: Holding) -> documents.HeldScene:
    message = holding.message
    ends = [number_of(message.sender), number_of(message.receiver)]
    sender, receiver = reversed(ends) if message.is_reply else ends
    return {
        "number": number,
        "api": message.request.__name__.removesuffix("Request"),
        "isReply": message.is_reply,
        "sender": sender,
        "receiver": receiver,
        "sinceUs": holding.since_us,
        "untilUs": message.until_us,
    }
