"""Producer ids and controllers of the cluster (section 5 of the rules, KIP-730)."""

from kraftsim.controller.core.log.records import Endpoint, ProducerIdsRecord
from kraftsim.controller.core.rpc import (
    AllocateProducerIdsRequest,
    BrokerListener,
    ControllerRegistrationRequest,
)

from ..oracles.breach_words import words
from .ask import Ask, Done, Draw, refused, replies
from .brokers import INCARNATION, STALE_BROKER_EPOCH, STRANGER, UNSUPPORTED_VERSION
from .features import CONTROLLERS_FROM
from .partition import Changes
from .view import View

BLOCK = 1000  # producer ids that a broker gets at once


def _allocate(view: View, turn: int) -> Ask | None:
    """The owner of the block is only in the record, not in the image (KIP-730)."""
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
        if done.records == (record,):
            return replied(done)
        return replied(done) or f"it writes {words(done.records)}, expected {words(record)}"

    return Ask("a block of producer ids", request, changes=changes, flaw=flaw)


def _allocate_wrongly(view: View, turn: int) -> Ask | None:
    request = AllocateProducerIdsRequest(broker_id=STRANGER, broker_epoch=turn)
    what = "producer ids for a broker that is not registered"
    return refused(what, request, STALE_BROKER_EPOCH)


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


DRAWS: tuple[Draw, ...] = (_allocate, _allocate_wrongly, _register_controller)
