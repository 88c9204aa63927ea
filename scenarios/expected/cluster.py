"""Features, producer ids and controllers of the cluster (section 5 of the rules, KIP-730)."""

from kraftsim.controller.core.log.records import Endpoint, ProducerIdsRecord
from kraftsim.controller.core.rpc import (
    AllocateProducerIdsRequest,
    BrokerListener,
    ControllerRegistrationRequest,
    FeatureUpdate,
    UpdateFeaturesRequest,
)

from .ask import Ask, Done, Draw, refused, replies
from .brokers import INCARNATION, STALE_BROKER_EPOCH, STRANGER, UNSUPPORTED_VERSION
from .partition import Changes
from .view import METADATA_VERSION, View

INVALID_UPDATE_VERSION = 95
BLOCK = 1000  # producer ids that a broker gets at once
UPGRADE, SAFE_DOWNGRADE = 1, 2
CONTROLLERS_FROM = 15  # metadata.version 3.7-IV0


def _allocate(view: View, turn: int) -> Ask | None:
    """The record names the owner of the block, which no image has (KIP-730)."""
    known = view.brokers
    if not known:
        return None
    broker = known[turn % len(known)]
    key = ("ProducerIds",)
    first = view.shadow.facts.get(key, {}).get("next_producer_id", 0)
    request = AllocateProducerIdsRequest(
        broker_id=broker["broker_id"], broker_epoch=broker["broker_epoch"]
    )
    changes: Changes = {key: {"next_producer_id": first + BLOCK}}
    replied = replies(producer_id_start=first, producer_id_len=BLOCK)
    record = ProducerIdsRecord(
        broker_id=broker["broker_id"],
        broker_epoch=broker["broker_epoch"],
        next_producer_id=first + BLOCK,
    )

    def flaw(done: Done) -> str | None:
        wrong = None if done.records == (record,) else f"it writes {done.records}, not {record}"
        return replied(done) or wrong

    return Ask("a block of producer ids", request, changes=changes, flaw=flaw)


def _allocate_wrongly(view: View, turn: int) -> Ask | None:
    request = AllocateProducerIdsRequest(broker_id=STRANGER, broker_epoch=turn)
    what = "producer ids for a broker that is not registered"
    return refused(what, request, STALE_BROKER_EPOCH)


def _update(*updates: FeatureUpdate, validate_only: bool = False) -> UpdateFeaturesRequest:
    return UpdateFeaturesRequest(feature_updates=updates, validate_only=validate_only)


def _keep_level(view: View, turn: int) -> Ask | None:
    """A level that is finalized already is written again (rule 5.57).

    It is refused if a node does not support it, or a voter has not registered (rule 5.58).
    """
    levels = sorted(view.finalized.items())
    if not levels:
        return None
    name, level = levels[turn % len(levels)]
    if name == "kraft.version":
        return None
    request = _update(FeatureUpdate(feature=name, max_version_level=level))
    codes = frozenset({0, INVALID_UPDATE_VERSION})
    return Ask(f"the level that {name} has", request, codes, None, _unchanged_features)


def _unchanged_features(done: Done) -> str | None:
    changed = [key for key in done.changes if key[0] not in ("Config", "Partition")]
    return f"it changes {changed}" if changed else None


def _update_wrongly(view: View, turn: int) -> Ask | None:
    level = view.level
    wrong = (
        ("of a feature that does not exist", "no.feature", 1, UPGRADE),
        ("below 0", METADATA_VERSION, -1, SAFE_DOWNGRADE),
        ("to a level that does not exist", METADATA_VERSION, 32_000, UPGRADE),
        ("that is a downgrade, and does not say so", METADATA_VERSION, level - 1, UPGRADE),
        ("of an unknown type", METADATA_VERSION, level, 9),
    )
    words, name, wanted, kind = wrong[turn % len(wrong)]
    update = FeatureUpdate(feature=name, max_version_level=wanted, upgrade_type=kind)
    return refused(f"an update {words}", _update(update), INVALID_UPDATE_VERSION)


def _register_controller(view: View, turn: int) -> Ask | None:
    known = [key[1] for key in view.shadow.of("Controller")]
    controller_id = int(str(known[turn % len(known)])) if known else view.node_id
    listener = BrokerListener(name="CONTROLLER", host="asked", port=1 + turn % 65535)
    request = ControllerRegistrationRequest(
        controller_id=controller_id,
        incarnation_id=INCARNATION,
        zk_migration_ready=False,
        listeners=(listener,),
        features=(),
    )
    what = "a registration of a controller"
    if view.level < CONTROLLERS_FROM:
        return refused(what, request, UNSUPPORTED_VERSION)
    new = {
        "controller_id": controller_id,
        "incarnation_id": INCARNATION,
        "end_points": (Endpoint(name="CONTROLLER", host="asked", port=1 + turn % 65535),),
        "features": (),
    }
    return Ask(what, request, changes={("Controller", controller_id): new})


DRAWS: tuple[Draw, ...] = (
    _allocate,
    _allocate_wrongly,
    _keep_level,
    _update_wrongly,
    _register_controller,
)
