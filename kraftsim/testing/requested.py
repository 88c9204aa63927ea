"""The options of the clusters that a test requests: its markers, and `--kraft-seed`."""

from collections.abc import Collection, Mapping
from inspect import signature
from secrets import randbelow
from typing import Any, NoReturn

import pytest

from kraftsim.scenarios.language.suggestions import nearest

from ..api.cluster import Cluster
from .keys import EXPLORED, SEED

DEFAULTS: Mapping[str, object] = {"kafka_port": 0, "controller_port": 0, "clock": "auto"}
SCOPES = ("function", "module", "session")
LOOPS = ("asyncio", "simulated")
# Arguments of the marker beside those of `Cluster`: default and meaning.
OF_THE_PLUGIN: Mapping[str, tuple[object, str]] = {
    "scope": (
        "function",
        "how long the cluster of `kraft` or `kraft_sync` lives: `function`, `module` or `session`; "
        "it is reset before each test",
    ),
    "loop": (
        "asyncio",
        "`asyncio`, or `simulated`: an event loop in virtual time, in which the test, its clients "
        "and the cluster repeat from the seed",
    ),
    "chaos": (
        False,
        "True lets random faults act from the start of the cluster on; a mapping has the `verbs` "
        "and the `budget` of `kraft.chaos`",
    ),
    "may_leak": (False, "True lets a test leave connections and tasks behind"),
    "may_miss": (False, "True lets faults of `kraft_faults` have no effect"),
    "may_break": (
        False,
        'properties that may be broken, by number or name, such as `["S18"]`; True: all, and '
        "nothing is watched",
    ),
}
CHAOS_WORDS = ("verbs", "budget")
CHAOS_EXAMPLE = '{"verbs": ["net.*"], "budget": {"brokers": 1}}'
SEEDS = 2**31


def requested_scope(test: pytest.Item) -> str:
    """Returns the scope of the test's marker: how long its cluster lives, reset for each test."""
    scope = marked_options(test).get("scope", "function")
    if scope not in SCOPES:
        refuse(f"scope: expected {nearest(str(scope), SCOPES)}, got {scope!r}")
    return str(scope)


def has_simulated_loop(test: pytest.Item) -> bool:
    """Returns True if the test's marker has the simulated loop."""
    loop = marked_options(test).get("loop", "asyncio")
    if loop not in LOOPS:
        refuse(f"loop: expected {nearest(str(loop), LOOPS)}, got {loop!r}")
    return bool(loop == "simulated")


def requested_chaos(test: pytest.Item) -> dict[str, Any] | None:
    """Returns the words of the random faults of the test's marker; None without any."""
    chaos = marked_options(test).get("chaos", False)
    if isinstance(chaos, bool):
        return {} if chaos else None
    if not isinstance(chaos, Mapping):
        refuse(f"chaos: expected True or {CHAOS_EXAMPLE}, got {chaos!r}")
    for name in chaos:
        if name not in CHAOS_WORDS:
            refuse(f"chaos: expected {nearest(str(name), CHAOS_WORDS)}, got {name!r}")
    return dict(chaos)


def may_leak(test: pytest.Item) -> bool:
    """Returns True if the test's marker lets it leave connections and tasks behind."""
    return _is_allowed(test, "may_leak")


def may_miss(test: pytest.Item) -> bool:
    """Returns True if the test's marker lets its faults have no effect."""
    return _is_allowed(test, "may_miss")


def may_break(test: pytest.Item) -> object:
    """Returns which properties the test's marker lets its clusters break: as it is written."""
    return marked_options(test).get("may_break", False)


def _is_allowed(test: pytest.Item, name: str) -> bool:
    allowed = marked_options(test).get(name, False)
    if not isinstance(allowed, bool):
        refuse(f"{name}: expected True or False, got {allowed!r}")
    return allowed


def requested_options(test: pytest.Item) -> dict[str, Any]:
    """Returns the arguments of `Cluster` for a test, without the seed.

    Fails the test if a marker has an unknown argument.
    """
    marked = marked_options(test)
    options = {name: value for name, value in marked.items() if name not in OF_THE_PLUGIN}
    test.stash.setdefault(SEED, _seed(test, options.pop("seed", None)))
    if has_simulated_loop(test):
        return dict(DEFAULTS) | {"clock": "real"} | options  # the time of the loop
    return dict(DEFAULTS) | options


def options_key(options: Mapping[str, Any]) -> str:
    """Returns a text that is the same for tests that can share a cluster."""
    return repr(sorted(options.items()))


def marked_options(test: pytest.Item) -> dict[str, Any]:
    """Returns the arguments of the test's markers.

    The marker of a function has precedence over the marker of its class, and that over the marker
    of its module.
    """
    options: dict[str, Any] = {}
    for marker in reversed(list(test.iter_markers("kraft"))):
        if marker.args:
            refuse(f"the marker takes named arguments such as brokers=3, got {marker.args[0]!r}")
        options |= _known(marker.kwargs, OF_THE_PLUGIN)
    return options


def _seed(test: pytest.Item, marked: object) -> int:
    """Returns the seed of the test.

    It is that of `--kraft-explore`, else of its marker, else of `--kraft-seed`, else a random seed.
    """
    chosen: object = explored_seed(test)
    if chosen is None:
        chosen = test.config.getoption("kraft_seed") if marked is None else marked
    if chosen is None:
        return randbelow(SEEDS)
    if not isinstance(chosen, int):
        refuse(f"seed: expected a whole number, got {chosen!r}")
    return chosen


def explored_seed(test: pytest.Item) -> int | None:
    """Returns the seed that `--kraft-explore` has chosen for the test; None without it."""
    parameters = getattr(getattr(test, "callspec", None), "params", {})
    seed: int | None = parameters.get(EXPLORED)
    return seed


def new_cluster(options: Mapping[str, Any]) -> Cluster:
    """Returns a cluster with these options, not started; fails the test if an option is wrong."""
    try:
        return Cluster(**_known(options))
    except ValueError as error:
        refuse(str(error))


def _known(options: Mapping[str, Any], others: Collection[str] = ()) -> Mapping[str, Any]:
    """Returns the options; fails the test if a name is no argument of `Cluster` nor of `others`."""
    known = [*signature(Cluster).parameters, *others]
    for name in options:
        if name not in known:
            refuse(f"unknown argument {name!r}: expected {nearest(name, known)}")
    return options


def refuse(reason: str) -> NoReturn:
    """Fails the test with one line instead of a traceback."""
    pytest.fail(f"kraft: {reason}", pytrace=False)
