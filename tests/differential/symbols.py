"""Resolves the symbols of a request's body from the history of the side that is asked.

{"$epoch": [1, -1, 0]}             the newest epoch of broker 1, plus 0; [1, -2, 0] the one before
{"$register_offset": [1, -1]}      the offset of broker 1's last RegisterBrokerRecord, plus -1
{"$end": 0}                        the log's end offset, plus 0
{"$topic": "t0"}                   the id of topic t0
{"$leader": ["t0", 1]}             the leader of t0's partition 1
{"$leader_epoch": ["t0", 1, 0]}    its leader epoch, plus 0
{"$partition_epoch": ["t0", 1, 0]} its partition epoch, plus 0
{"$epoch_of_leader": ["t0", 1]}    the newest epoch of its leader
{"$directory": 3000}               the directory id of voter 3000, as the log has it
{"$second_port": 0}                the port of the second controller, plus 0
{"$quorum_epoch": 0}               the epoch of the log's last batch, plus 0
{"$isr": ["t0", 1, [3], [2]]}      its ISR with broker 3 and without broker 2
{"$isr_with_epochs": ["t0", 1, [3], [2], 0]}  the same, each with its newest epoch, plus 0
{"$toggled_isr": ["t0", 1, [0, 1]]}  its ISR: its first two replicas that do not lead it leave it
                                   if they are in it, and join it otherwise
{"$toggled_isr_with_epochs": ["t0", 1, [0, 1], 0]}  the same, each with its newest epoch, plus 0
"""

from collections.abc import Callable
from typing import Any

from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from tests.differential.history import History


def resolve(value: Any, history: History) -> Any:
    if isinstance(value, list):
        return [resolve(item, history) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, arguments),) = value.items()
        if name.startswith("$"):
            return _SYMBOLS[name](history, arguments)
    return {name: resolve(item, history) for name, item in value.items()}


def _isr(history: History, arguments: list[Any]) -> list[int]:
    name, index, added, removed = arguments[:4]
    isr = history.partition(name, index).isr
    return [*(b for b in isr if b not in removed), *(b for b in added if b not in isr)]


def _toggled_isr(history: History, arguments: list[Any]) -> list[int]:
    name, index, places = arguments[:3]
    partition = history.partition(name, index)
    followers = [replica for replica in partition.replicas if replica != partition.leader]
    toggled = [replica for place, replica in enumerate(followers) if place in places]
    staying = [replica for replica in partition.isr if replica not in toggled]
    return [*staying, *(replica for replica in toggled if replica not in partition.isr)]


def _with_epochs(isr: Callable[[History, Any], list[int]]) -> Callable[[History, Any], Any]:
    def spelled(history: History, arguments: list[Any]) -> list[dict[str, int]]:
        plus = arguments[-1]
        return [
            {"brokerId": broker_id, "brokerEpoch": history.epoch(broker_id) + plus}
            for broker_id in isr(history, arguments)
        ]

    return spelled


_SYMBOLS: dict[str, Callable[[History, Any], Any]] = {
    "$epoch": lambda history, a: history.epoch(a[0], a[1]) + a[2],
    "$register_offset": lambda history, a: history.register_offsets.get(a[0], 0) + a[1],
    "$end": lambda history, plus: history.end_offset + plus,
    "$topic": lambda history, name: uuid_text(history.topic_id(name)),
    "$leader": lambda history, a: history.partition(a[0], a[1]).leader,
    "$leader_epoch": lambda history, a: history.partition(a[0], a[1]).leader_epoch + a[2],
    "$partition_epoch": lambda history, a: history.partition(a[0], a[1]).partition_epoch + a[2],
    "$epoch_of_leader": lambda history, a: history.epoch(history.partition(a[0], a[1]).leader),
    "$directory": lambda history, voter_id: uuid_text(history.directories.get(voter_id, ZERO_UUID)),
    "$second_port": lambda history, plus: history.second_port + plus,
    "$quorum_epoch": lambda history, plus: history.quorum_epoch + plus,
    "$isr": _isr,
    "$isr_with_epochs": _with_epochs(_isr),
    "$toggled_isr": _toggled_isr,
    "$toggled_isr_with_epochs": _with_epochs(_toggled_isr),
}
