"""The arguments of make differential."""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.profile import DEFAULT_PROFILE, PROFILES
from tests.differential.files import BadFile, read, release_of
from tests.differential.sequence import Sequence
from tests.released.releases import RELEASES, Release
from tools.rule_book import rule_book

DEFAULT_RELEASE = "4.3.1"
SEQUENCES = 10_000
SILENT_SHARE = 10  # one of so many sequences falls silent
LISTENER_SEQUENCES = 1_000
REPLICAS_SEQUENCES = 200
CONTROLLER, BROKER = "controller", "broker"
REPLICAS = "replicas-"
_NAME = re.compile(r"(silent-|listener-|replicas-)?(\d+)-(\d+)")

_SEQUENCES = {CONTROLLER: SEQUENCES, BROKER: LISTENER_SEQUENCES}


@dataclass(frozen=True, slots=True)
class Given:
    """A file of --replay: its sequence and the release that judges it."""

    path: Path
    sequence: Sequence
    release: Release


@dataclass(frozen=True, slots=True)
class Arguments:
    """`only` are names such as "1-64", "silent-1-3" or "listener-1-3", none for every sequence.

    `listener` is whose: a controller's or a broker's. `replicas`: clusters of brokers are judged.
    """

    release: Release
    sequences: int
    seed: int
    only: tuple[str, ...]
    replay: tuple[Given, ...]
    keep: str | None
    rule: str | None
    listener: str = CONTROLLER
    replicas: bool = False

    @property
    def silent(self) -> int:
        return self.sequences // SILENT_SHARE

    @property
    def drawn(self) -> int:
        return self.sequences - self.silent


def parse(words: list[str] | None = None) -> Arguments:
    """Ends the process with code 2 and a text where the arguments are wrong."""
    parser = _parser()
    options = parser.parse_args(words)
    try:
        replay = tuple(_given(path, options.release) for path in options.replay)
    except BadFile as error:
        parser.error(str(error))
    if (options.keep is None) != (options.rule is None):
        parser.error("expected --keep NAME and --rule NUMBER together")
    if options.keep and len(replay) != 1 and not options.replicas:
        parser.error(f"--keep: expected one file of --replay, got {len(replay)}")
    if options.only and replay:
        parser.error("expected either --only or --replay")
    if options.replicas and (replay or (options.keep and not options.only)):
        parser.error("--replicas: expected --only NAME where a sequence is judged again or kept")
    usual = REPLICAS_SEQUENCES if options.replicas else _SEQUENCES[options.listener]
    arguments = Arguments(
        release=RELEASES[options.release or DEFAULT_RELEASE],
        sequences=options.sequences or usual,
        seed=options.seed,
        only=tuple(options.only),
        replay=replay,
        keep=options.keep,
        rule=options.rule,
        listener=options.listener,
        replicas=options.replicas,
    )
    for name in arguments.only:
        kind, _, number = drawn_number(name)
        if (kind == REPLICAS) != arguments.replicas:
            parser.error(f"--only {name}: expected {REPLICAS}SEED-NUMBER and --replicas together")
        if not kind and number >= arguments.drawn:
            drawn = f"{arguments.drawn} of --sequences {arguments.sequences} are not silent"
            parser.error(f"--only {name}: expected a number below {arguments.drawn}: {drawn}")
    return arguments


def _given(path: Path, release: str | None) -> Given:
    return Given(path, read(path), RELEASES[release or release_of(path) or DEFAULT_RELEASE])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="make differential",
        description="Ask a released Kafka controller and ours the same, and print what differs.",
        epilog='With make the arguments stand in ARGS: make differential ARGS="--seed 7".',
        allow_abbrev=False,
    )
    parser.add_argument(
        "--release",
        type=_release,
        choices=list(RELEASES),
        help=f"release that judges (default: the file's with --replay, else {DEFAULT_RELEASE})",
    )
    parser.add_argument(
        "--sequences",
        type=_at_least_one,
        metavar="N",
        help=f"sequences that are drawn (default {SEQUENCES}; of a broker's {LISTENER_SEQUENCES}; "
        f"of replicas {REPLICAS_SEQUENCES})",
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw (default 1)")
    parser.add_argument(
        "--listener",
        choices=list(_SEQUENCES),
        default=CONTROLLER,
        help="whose listener is asked; that of a broker is asked about messages (default "
        f"{CONTROLLER})",
    )
    parser.add_argument(
        "--replicas",
        action="store_true",
        help="judge three brokers by three: writes while brokers stop and start, reassignments, "
        "elections; --keep NAME records the sequences of --only",
    )
    parser.add_argument(
        "--only",
        type=_name,
        nargs="+",
        default=[],
        metavar="NAME",
        help="draw only these sequences, such as 1-64 (seed 1, number 64), silent-1-3, "
        "listener-1-3 or replicas-1-3; their start is that of a run of --sequences N",
    )
    parser.add_argument(
        "--replay", type=Path, nargs="+", default=[], metavar="FILE", help="judge these files"
    )
    parser.add_argument(
        "--keep",
        type=_file_name,
        metavar="NAME",
        help="record the answers to the file of --replay as tests/differential/kept/NAME.json",
    )
    parser.add_argument(
        "--rule", type=_rule, metavar="NUMBER", help="rule that a kept file proves, such as 5.57"
    )
    return parser


def _release(word: str) -> str:
    """Refuses a profile, and says which release judges it, or that none does."""
    if word not in PROFILES:
        return word
    judges = [version for version, release in RELEASES.items() if release.profile_name == word]
    if judges:
        raise argparse.ArgumentTypeError(f"expected a release, got a profile: try {judges[0]}")
    raise argparse.ArgumentTypeError(
        f"no release judges the profile {word}: its rules are read, not judged (docs/profiles.md). "
        f"Judge what it has from {DEFAULT_PROFILE.name} with --release {next(iter(RELEASES))}, and "
        "hold the rest with tests that name its rules"
    )


def _at_least_one(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"expected a number of at least 1, got {word!r}")
    return int(word)


def _name(word: str) -> str:
    if not _NAME.fullmatch(word):
        raise argparse.ArgumentTypeError(
            f"expected a name such as 1-64, silent-1-3, listener-1-3 or replicas-1-3, got {word!r}"
        )
    return word


def _file_name(word: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9.-]*", word) or word.endswith(".json"):
        raise argparse.ArgumentTypeError(
            f"expected words with hyphens and without .json, such as a-lost-leader, got {word!r}"
        )
    return word


def _rule(word: str) -> str:
    if problem := rule_book().problem_with(word):
        raise argparse.ArgumentTypeError(problem)
    return word


def drawn_number(name: str) -> tuple[str, int, int]:
    """Return what stands before seed and number ("" or such as "silent-"), seed and number."""
    found = _NAME.fullmatch(name)
    assert found is not None, name
    return found[1] or "", int(found[2]), int(found[3])
