"""Draws sequences: the faults are those of all sequences that are judged side by side."""

from collections.abc import Iterator
from random import Random

from tests.differential.replicas.settings import BROKER_IDS
from tests.differential.replicas.steps import (
    Ask,
    Configure,
    Elect,
    Fault,
    Reassign,
    Sequence,
    Step,
    Write,
)

SIDE_BY_SIDE = 10  # sequences that share their faults
FAULTS = 4  # of a sequence, beside those that end it with all brokers running
ALL_ACKS, LEADER_ACK, NO_ACK = -1, 1, 0
SHORT_MS, LONG_MS = 500, 13_000  # before and after a lagging follower has left the ISR
MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"


def draw_sequence(seed: int, number: int) -> Sequence:
    """The sequence of a number; its faults are those of the others of its ten."""
    random = Random(f"replicas {seed} {number}")
    replicas = _placed(random, random.choice((1, 2, 2, 3, 3, 3, 3)))
    configs = (
        (MIN_ISR, random.choice(("1", "1", "2", "2", "3"))),
        (UNCLEAN, random.choice(("true", "false"))),
    )
    drawn = _faults(Random(f"replicas faults {seed} {number // SIDE_BY_SIDE}"))
    steps = tuple(_step(random, fault) for fault in drawn)
    return Sequence(f"replicas-{seed}-{number}", replicas, configs, steps)


def _placed(random: Random, count: int) -> tuple[int, ...]:
    return tuple(random.sample(BROKER_IDS, count))


def _step(random: Random, fault: Fault | None) -> Step:
    if fault is not None and not (_concerns_the_paused(fault) and random.random() < 0.3):
        return Step(_writes(random, random.choice((0, 1, 1, 2))), fault=fault)
    if fault is not None:
        return Step(ask=_ask(random), fault=fault)
    drawn = random.random()
    if drawn < 0.5:
        return Step(_writes(random, random.choice((1, 1, 2, 3))))
    return Step(ask=_ask(random)) if drawn < 0.9 else Step()


def _concerns_the_paused(fault: Fault) -> bool:
    """True if what is asked during the pause may end before or after the acts, all the same."""
    return fault.paused is not None and all(broker == fault.paused for _, broker in fault.acts)


def _writes(random: Random, count: int) -> tuple[Write, ...]:
    return tuple(
        Write(
            random.choices((ALL_ACKS, LEADER_ACK, NO_ACK), (6, 3, 1))[0],
            random.choice((SHORT_MS, LONG_MS)),
            random.choice((1, 1, 2, 5)),
        )
        for _ in range(count)
    )


def _ask(random: Random) -> Ask:
    match random.choice("rrrrceepmmuu"):
        case "r":
            return Reassign(_placed(random, random.choice((1, 2, 2, 3, 3))))
        case "c":
            return Reassign(None)
        case "e":
            return Elect(is_unclean=True)
        case "p":
            return Elect(is_unclean=False)
        case "m":
            return Configure(MIN_ISR, random.choice(("1", "2", "3")))
    return Configure(UNCLEAN, random.choice(("true", "false")))


# Faults


def _faults(random: Random) -> Iterator[Fault | None]:
    """Yields what happens to the brokers at each step, None for a step without a fault."""
    out: dict[int, str] = {}  # brokers that do not run, and how each comes back
    yield None
    for _ in range(FAULTS):
        fault = _fault(random, out)
        _follow(out, fault)
        yield fault
        for _ in range(random.choice((1, 2))):
            yield None
    while out:
        fault = Fault(None, (_back(random, out),))
        _follow(out, fault)
        yield fault
    yield None


def _fault(random: Random, out: dict[int, str]) -> Fault:
    up = [broker for broker in BROKER_IDS if broker not in out]
    random.shuffle(up)
    if len(up) == 1:
        return Fault(None, (_back(random, out),))
    paused, other = up[0], up[1]
    options = [
        *3 * [Fault(paused, ())],
        Fault(paused, (("kill", paused),)),
        Fault(None, (("kill", paused),)),
        Fault(None, (("end", paused),)),
        Fault(None, (("end", paused), ("start", paused))),
        Fault(paused, (("resume", paused),)),
    ]
    if len(up) == len(BROKER_IDS):
        options += 2 * [
            Fault(paused, (("kill", other), ("resume", paused))),
            Fault(paused, (("end", other), ("resume", paused))),
        ]
    for broker, verb in out.items():
        if verb == "start":  # which takes a busy machine longer than a lease
            options += 3 * [Fault(None, ((verb, broker),))]
            options += 2 * [Fault(paused, ((verb, broker), ("resume", paused)))]
        else:
            options += 5 * [
                Fault(None, (("kill", broker),)),
                Fault(None, ((verb, broker),)),
                Fault(paused, ((verb, broker),)),
                Fault(paused, ((verb, broker), ("resume", paused))),
                Fault(paused, ((verb, broker), ("kill", paused))),
            ]
    return random.choice(options)


def _back(random: Random, out: dict[int, str]) -> tuple[str, int]:
    broker = random.choice(sorted(out))
    return out[broker], broker


def _follow(out: dict[int, str], fault: Fault) -> None:
    if fault.paused is not None:
        out[fault.paused] = "resume"
    for verb, broker in fault.acts:
        if verb in ("start", "resume"):
            del out[broker]
        else:
            out[broker] = "start"
