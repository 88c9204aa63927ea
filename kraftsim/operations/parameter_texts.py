"""Help texts of the parameters of operations, for the CLI and for OpenAPI."""

from collections.abc import Mapping
from typing import Final

from kraftsim.controller.core.configs.resources import RESOURCES
from kraftsim.simulation.event_row import EVENTS

from ..api.states import STATES

_TEXTS: Final[Mapping[str, str | Mapping[str, str]]] = {
    "acts": "steps that a visitor adds: an array in JSON, each step with `at` (default: none)",
    "api": "Kafka's name of the API, such as BrokerRegistration (default: every API)",
    "append": "elements to append to a list, KEY=ELEMENT,... (default: none)",
    "assignments": (
        "brokers of each partition, instead of placed ones, such as 1:2,2:3 or in JSON "
        "[[1, 2], [2, 3]]; the first broker of a partition leads (default: placed)"
    ),
    "broker": {
        "clock": "id of the broker (default: any)",
        "log": "id of the broker (default: the leader)",
        "wait": "id of the broker (default: any)",
    },
    "by": "how long, such as 11s (a bare number is seconds)",
    "choice": "what the visitor says will happen",
    "config": "configurations, KEY=VALUE, such as retention.ms=1000 (default: none)",
    "delete": "key that shall have its default again (default: none)",
    "election": (
        "preferred: the first replica, if it is in sync; unclean: any replica, for partitions "
        "without a leader, whose data may be old (default preferred)"
    ),
    "event": "number of the event, as `kraftsim events` prints it",
    "expiry": "real time after which the lock ends by itself (default 30s, at most 1h)",
    "factor": "1 for real time, 10 for ten times as fast; 0: a virtual or auto clock stands again",
    "fault": "the fault: a verb with its words, and optionally id and say, as in a scenario file",
    "format": "html (every branch of the link), perfetto or shiviz (the shown one); default html",
    "from_": {
        "broker": "id at which the page begins (default: the first)",
        "events": "number of the event at which the page begins (default: the first)",
        "log": "offset at which it begins (default: the first that the log has)",
        "request": "number of the request at which the page begins (default: the first)",
        "scene": "number of the event at which the page begins (default: the first)",
        "story": "number of the event at which the page begins (default: the first)",
        "topic": "name or offset at which the page begins (default: the first)",
    },
    "from_us": "begin of the film, in microseconds of virtual time (default 0)",
    "hits": "number of hits to wait for (default 1)",
    "id": {
        "broker": "id of the broker",
        "controller": "id of the controller",
        "fault": "id of the fault",
    },
    "key": "name of one configuration, such as retention.ms (default: all)",
    "key_separator": (
        "text between the key and the value of a line, such as : (default: lines have no keys)"
    ),
    "kind": f"kind of the event: {', '.join(EVENTS)}",
    "leader": "id of the controller that shall be active, or any",
    "limit": "items to return at most (1 to 10000, default 1000; brokers and topics: all)",
    "lines": "texts, each of which becomes the value of a record, or its key and its value",
    "link": "address of the page, or what stands after its #",
    "message": "number of the held message, as `fault held` prints it (default: all held ones)",
    "name": {
        "config": "name of the topic or group, id of the broker, or default for all brokers",
        "lesson": "name of the lesson",
        "log": "name of the topic",
        "node": "name of the node",
        "reassignment": "name of the topic",
        "snapshot": "name of the snapshot",
        "topic": "name of the topic",
    },
    "owner": "name of the program that holds the clock",
    "partition": "number of one partition (default: all)",
    "partitions": "partitions that the topic shall have (default of a new topic: num.partitions)",
    "place": "lesson, seed, acts and time, as they stand after # in the address of the page",
    "profile": {
        "broker": "profile, such as kafka-4.3 (default of a new broker: that of the cluster)",
        "controller": "profile, such as kafka-4.3",
        "lesson": "profile, such as kafka-4.3 (default: that of the scenario)",
    },
    "rack": "rack of the new broker (default: none)",
    "replicas": "new brokers of a partition, PARTITION=IDS, such as 0=1,2,3",
    "replication_factor": "replicas of each partition (default: default.replication.factor)",
    "resource": f"what is configured: {', '.join(RESOURCES)}",
    "scope": "all, or set: those that are set for the resource itself (default all)",
    "seed": {
        "lesson": "seed of the lesson (default 17)",
        "reset": "seed of the new cluster (default: that of the present one)",
    },
    "state": f"state to wait for: {', '.join(STATES)}",
    "subtract": "elements to remove from a list, KEY=ELEMENT,... (default: none)",
    "timeout": "stop waiting after this long (default 20s; a bare number is seconds)",
    "to": "id of the controller that shall lead (default -1: the voter with the longest log)",
    "to_us": "end of the film, at most two minutes after its begin",
    "values": "configurations to set, KEY=VALUE, such as retention.ms=1000 (default: none)",
    "wait": (
        "wait so long until the new process is registered, with its start time, and unfenced "
        "(default: do not wait)"
    ),
    "where": (
        "fields of the request, FIELD=VALUE,... such as brokerId=1,wantFence=true or "
        "topics.name=orders (default: no condition)"
    ),
}
"""By the name of a parameter; where it depends on the noun of an operation, by the noun too."""


def parameter_text(noun: str, name: str) -> str:
    """Returns the help text of a parameter, with the default and the unit."""
    text = _TEXTS[name]
    return text if isinstance(text, str) else text[noun]
