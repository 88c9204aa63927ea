"""Registrations and heartbeats of brokers (sections 1 and 2 of the rules)."""

from kraftsim.controller.core.log.records import Endpoint
from kraftsim.controller.core.rpc import (
    BrokerFeature,
    BrokerHeartbeatRequest,
    BrokerListener,
    BrokerRegistrationRequest,
)
from kraftsim.controller.core.uuid import Uuid

from ..oracles.breach_words import words
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, refused, replies
from .partition import Changes, Wish, changed, left_by
from .view import LEAVING_FROM, METADATA_VERSION, View

UNSUPPORTED_VERSION, STALE_BROKER_EPOCH = 35, 77
DUPLICATE_BROKER_REGISTRATION, BROKER_ID_NOT_REGISTERED = 101, 102
INCONSISTENT_CLUSTER_ID, INVALID_REGISTRATION = 104, 119
STRANGER = 888_888  # no node has this id, nor does a hostile client register it
INCARNATION: Uuid = bytes(15) + b"\x63"
DIRECTORY: Uuid = bytes(14) + b"\x63\x63"
# Ids of directories that Kafka keeps for itself, and others: the upper half is zero, and the lower
# half is less than 100 as a signed number (rule 1.15).
RESERVED: tuple[Uuid, ...] = (
    *(bytes(15) + bytes([number]) for number in (2, 7, 99)),
    bytes(8) + b"\xff" * 8,
)
FREE: tuple[Uuid, ...] = (
    *(DIRECTORY, bytes(15) + bytes([100]), bytes(8) + b"\x01" + bytes(7)),
    b"\x01" + bytes(15),
)
NEWEST_LEVEL = 2**15 - 1
KRAFT_VERSION = "kraft.version"


def _key(broker: Fact) -> Key:
    return "Broker", broker["broker_id"]


def _one(view: View, turn: int, *, fenced: bool) -> Fact | None:
    """Returns a broker that is fenced or not, and in no controlled shutdown.

    Below 3.3-IV3 no record tells of a controlled shutdown, so there is none to choose.
    """
    found = view.brokers_that(
        lambda broker: broker["fenced"] is fenced and not broker["in_controlled_shutdown"]
    )
    return found[turn % len(found)] if found and view.level >= LEAVING_FROM else None


def _heartbeat(
    view: View, broker: Fact, *, is_behind: bool = False, **flags: object
) -> BrokerHeartbeatRequest:
    """Returns a heartbeat of a broker that has applied the whole log, or that `is_behind`.

    A controller that has loaded a snapshot wants brokers to have all that is in it (rule 1.31).
    """
    wants = {"want_fence": False, "want_shut_down": False} | flags
    offset = broker["register_offset"] if is_behind else view.shadow.end_offset
    return BrokerHeartbeatRequest(
        broker_id=broker["broker_id"],
        broker_epoch=broker["broker_epoch"],
        current_metadata_offset=offset - 1,
        **wants,  # type: ignore[arg-type]  # flags of the request
    )


# Heartbeats (rules 2.4 to 2.32)


def _fence(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=False)
    if broker is None:
        return None
    changes: Changes = {_key(broker): {**broker, "fenced": True}}
    changes |= left_by(view, broker["broker_id"], view.mentions.of("isr", broker["broker_id"]))
    flaw = replies(is_fenced=True, is_caught_up=True, should_shut_down=False)
    request = _heartbeat(view, broker, want_fence=True)
    return Ask("a heartbeat that asks for a fence", request, changes=changes, flaw=flaw)


def _unfence(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=True)
    if broker is None:
        return None
    broker_id = broker["broker_id"]
    wish = Wish(may_lead=lambda replica: replica == broker_id or view.is_active(replica))
    changes: Changes = {_key(broker): {**broker, "fenced": False}}
    changes |= changed(view, view.leaderless(), lambda _: wish)
    flaw = replies(is_fenced=False, is_caught_up=True, should_shut_down=False)
    what = "a heartbeat of a fenced broker that has caught up"
    return Ask(what, _heartbeat(view, broker), changes=changes, flaw=flaw)


def _stay_fenced(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=True)
    if broker is None:
        return None
    flaw = replies(is_fenced=True, is_caught_up=False, should_shut_down=False)
    what = "a heartbeat of a fenced broker that has not caught up"
    return Ask(what, _heartbeat(view, broker, is_behind=True), flaw=flaw)


def _ask_to_stay_fenced(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=True)
    if broker is None:
        return None
    flaw = replies(is_fenced=True, is_caught_up=True, should_shut_down=False)
    what = "a heartbeat of a fenced broker that asks for a fence"
    return Ask(what, _heartbeat(view, broker, want_fence=True), flaw=flaw)


def _stay_unfenced(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=False)
    if broker is None:
        return None
    is_behind = bool(turn % 2)
    flaw = replies(is_fenced=False, is_caught_up=not is_behind, should_shut_down=False)
    request = _heartbeat(view, broker, is_behind=is_behind)
    return Ask("a heartbeat of an unfenced broker", request, flaw=flaw)


def _shut_down_fenced(view: View, turn: int) -> Ask | None:
    broker = _one(view, turn, fenced=True)
    if broker is None:
        return None
    changes = left_by(view, broker["broker_id"], view.mentions.of("isr", broker["broker_id"]))
    flaw = replies(is_fenced=True, should_shut_down=True)
    request = _heartbeat(view, broker, want_shut_down=True)
    what = "a heartbeat of a fenced broker that shuts down"
    return Ask(what, request, changes=changes, flaw=flaw)


def _shut_down(view: View, turn: int) -> Ask | None:
    """A broker that leads is in a controlled shutdown; another one may go at once (2.12)."""
    broker = _one(view, turn, fenced=False)
    if broker is None:
        return None
    broker_id, also_fences = broker["broker_id"], bool(turn % 3 == 2)
    leads = bool(view.led_by(broker_id)) and not also_fences
    new = {**broker, "in_controlled_shutdown": True} if leads else {**broker, "fenced": True}
    changes: Changes = {_key(broker): new}
    changes |= left_by(view, broker_id, view.mentions.of("isr", broker_id))
    flaw = replies(is_fenced=not leads, should_shut_down=not leads)
    request = _heartbeat(view, broker, want_shut_down=True, want_fence=also_fences)
    return Ask("a heartbeat that begins a shutdown", request, changes=changes, flaw=flaw)


def _stale_heartbeat(view: View, turn: int) -> Ask | None:
    known = view.brokers
    if not known or turn % 3 == 0:
        stranger = {"broker_id": STRANGER, "broker_epoch": 0, "register_offset": 0}
        what = "a heartbeat of a broker that is not registered"
        return refused(what, _heartbeat(view, stranger), STALE_BROKER_EPOCH)
    broker = known[turn % len(known)]
    other = {**broker, "broker_epoch": broker["broker_epoch"] + (1 if turn % 3 == 1 else -1)}
    request = _heartbeat(view, other, want_fence=True)
    return refused("a heartbeat of another incarnation", request, STALE_BROKER_EPOCH)


def _lose_directory(view: View, turn: int) -> Ask | None:
    """A broker reports that a directory of its is offline (rule 2.30)."""
    broker = _one(view, turn, fenced=False)
    if broker is None or not view.has_directories or not broker["log_dirs"]:
        return None
    lost, *left = broker["log_dirs"]
    stored = view.mentions.of("replicas", broker["broker_id"])
    in_it = [key for key in stored if (broker["broker_id"], lost) in _places(view, key)]
    changes = left_by(view, broker["broker_id"], in_it)
    if left:  # a record without directories changes none
        changes[_key(broker)] = {**broker, "log_dirs": tuple(left)}
    request = _heartbeat(view, broker, offline_log_dirs=(lost,))
    return Ask("a heartbeat that reports a lost directory", request, changes=changes)


def _places(view: View, key: Key) -> list[tuple[int, Uuid]]:
    fact = view.shadow.facts[key]
    return list(zip(fact["replicas"], fact["directories"], strict=False))


# Registrations (rules 1.8 to 1.37)


def _request(view: View, broker_id: int, turn: int, **values: object) -> BrokerRegistrationRequest:
    levels = {METADATA_VERSION: view.level, KRAFT_VERSION: 0} | view.finalized
    fields: dict[str, object] = {
        "broker_id": broker_id,
        "cluster_id": view.cluster_id,
        "incarnation_id": INCARNATION,
        "listeners": (BrokerListener(name="PLAINTEXT", host="asked", port=1 + turn % 65535),),
        "features": tuple(
            BrokerFeature(name=name, min_supported_version=0, max_supported_version=NEWEST_LEVEL)
            for name in levels
        ),
        "rack": "asked",
        "log_dirs": (FREE[view.shadow.end_offset % len(FREE)],),
    }
    return BrokerRegistrationRequest(**fields | values)  # type: ignore[arg-type]  # of the request


def _registered(view: View, request: BrokerRegistrationRequest, **values: object) -> Fact:
    return {
        "broker_id": request.broker_id,
        "incarnation_id": request.incarnation_id,
        "end_points": tuple(
            Endpoint(name=listener.name, host=listener.host, port=listener.port)
            for listener in request.listeners
        ),
        "rack": request.rack,
        "log_dirs": request.log_dirs if view.has_directories else (),
    } | values


def _register_again(view: View, turn: int) -> Ask | None:
    """The same incarnation keeps its epoch, fencing and shutdown state (rules 1.26, 1.42)."""
    known = view.brokers
    if not known:
        return None
    broker = known[turn % len(known)]
    kept = {name: broker[name] for name in ("broker_epoch", "fenced", "in_controlled_shutdown")}
    kept |= {"start_time_ms": broker["start_time_ms"]}
    request = _request(
        view,
        broker["broker_id"],
        turn,
        incarnation_id=broker["incarnation_id"],
        log_dirs=broker["log_dirs"] or (DIRECTORY,),
    )
    flaw = replies(broker_epoch=broker["broker_epoch"])
    new = _registered(view, request, register_offset=view.shadow.end_offset, **kept)
    what = "a registration of the same incarnation"
    return Ask(what, request, changes={_key(broker): new}, flaw=flaw)


def _register_new(view: View, turn: int) -> Ask | None:
    """A new incarnation is fenced and has the next offset as its epoch (rules 1.25 to 1.37).

    It is refused while the last one has a valid session (rules 1.10 to 1.12).
    """
    fenced = view.brokers_that(lambda broker: broker["fenced"])
    broker = fenced[turn % len(fenced)] if fenced and turn % 3 else None
    has_session = False if broker is None else view.has_session(broker)
    broker_id = STRANGER if broker is None else broker["broker_id"]
    known = -2 if broker is None else broker["broker_epoch"]
    previous = known if turn % 2 and broker is not None else -1
    changes: Changes = {}
    if view.profile.cleans_up_at_registration:
        is_unclean = view.has_elr and previous != known
        keys = view.mentions.of("isr", broker_id)
        if is_unclean:
            keys = keys | view.mentions.of("eligible_leader_replicas", broker_id)
        changes = left_by(view, broker_id, keys, unclean=is_unclean)
    request = _request(view, broker_id, turn, previous_broker_epoch=previous)
    begins = {"fenced": True, "in_controlled_shutdown": False}
    offset = view.shadow.end_offset + len(changes)
    changes["Broker", broker_id] = _registered(view, request, register_offset=offset, **begins)

    def flaw(done: Done) -> str | None:
        epoch = getattr(done.reply, "broker_epoch", None)
        new = done.changes.get(("Broker", broker_id)) or {}
        if epoch in view.epochs and epoch == new.get("broker_epoch"):
            return None
        epochs = f"{words(epoch)} and {words(new.get('broker_epoch'))}"
        return f"the epochs are {epochs}, expected {words(view.epochs)}"

    what = "a registration of a new incarnation"
    if has_session:
        return refused(what, request, DUPLICATE_BROKER_REGISTRATION)
    codes = frozenset({0} if has_session is False else {0, DUPLICATE_BROKER_REGISTRATION})
    return Ask(what, request, codes, changes, flaw)


def _register_over(view: View, turn: int) -> Ask | None:
    """Another incarnation is refused while the broker has a valid session (rule 1.10)."""
    alive = view.brokers_that(lambda broker: view.has_session(broker) is True)
    if not alive:
        return None
    request = _request(view, alive[turn % len(alive)]["broker_id"], turn)
    what = "a registration over a live broker"
    return refused(what, request, DUPLICATE_BROKER_REGISTRATION)


def _register_wrongly(view: View, turn: int) -> Ask | None:
    """What is refused, by the order of Kafka's checks (rules 1.8 to 1.24)."""
    too_old = BrokerFeature(
        name=METADATA_VERSION, min_supported_version=0, max_supported_version=view.level - 1
    )
    unnamed = INVALID_REGISTRATION
    if not view.profile.metadata_version_required:
        unnamed = UNSUPPORTED_VERSION  # it stands for the range of level 1 (rule 1.22)
    wrong: list[tuple[str, dict[str, object], int]] = [
        ("for another cluster", {"cluster_id": "another"}, INCONSISTENT_CLUSTER_ID),
        ("of a ZooKeeper broker", {"is_migrating_zk_broker": True}, BROKER_ID_NOT_REGISTERED),
        ("without the finalized level", {"features": (too_old,)}, UNSUPPORTED_VERSION),
        ("without metadata.version", {"features": ()}, unnamed),
    ]
    if view.has_directories:
        owned = next((b["log_dirs"] for b in view.brokers if b["log_dirs"]), None)
        for words, directories in (
            ("without a directory", ()),
            ("with a reserved directory", (RESERVED[view.shadow.end_offset % len(RESERVED)],)),
            ("with a directory twice", (DIRECTORY, DIRECTORY)),
            ("with another broker's directory", owned),
        ):
            if directories is not None:
                wrong.append((words, {"log_dirs": directories}, INVALID_REGISTRATION))
    words, values, code = wrong[turn % len(wrong)]
    return refused(f"a registration {words}", _request(view, STRANGER, turn, **values), code)


DRAWS: tuple[Draw, ...] = (
    _fence,
    _unfence,
    _stay_fenced,
    _ask_to_stay_fenced,
    _stay_unfenced,
    _shut_down_fenced,
    _shut_down,
    _stale_heartbeat,
    _lose_directory,
    _register_again,
    _register_new,
    _register_over,
    _register_wrongly,
)
