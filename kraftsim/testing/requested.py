"""The options of the clusters that a test requests: its markers, and `--kraft-seed`."""

from collections.abc import Mapping
from inspect import signature
from secrets import randbelow
from typing import Any, NoReturn

import pytest

from kraftsim.scenarios.language.suggestions import nearest

from ..api.cluster import Cluster
from .keys import SEED

ANY_PORT: Mapping[str, object] = {"kafka_port": 0, "controller_port": 0}
SEEDS = 2**31


def requested_options(test: pytest.Item) -> dict[str, Any]:
    """Returns the arguments of `Cluster` for a test, without the seed.

    The marker of a function has precedence over the marker of its class, and that over the marker
    of its module. Fails the test if a marker has an unknown argument.
    """
    options = dict(ANY_PORT)
    for marker in reversed(list(test.iter_markers("kraft"))):
        if marker.args:
            refuse(f"the marker takes named arguments such as brokers=3, got {marker.args[0]!r}")
        options |= _known(marker.kwargs)
    test.stash.setdefault(SEED, _seed(test, options.pop("seed", None)))
    return options


def _seed(test: pytest.Item, marked: object) -> int:
    """Returns the seed of the test: of its marker, else of `--kraft-seed`, else a random seed."""
    chosen = test.config.getoption("kraft_seed") if marked is None else marked
    if chosen is None:
        return randbelow(SEEDS)
    if not isinstance(chosen, int):
        refuse(f"seed: expected a whole number, got {chosen!r}")
    return chosen


def new_cluster(options: Mapping[str, Any]) -> Cluster:
    """Returns a cluster with these options, not started; fails the test if an option is wrong."""
    try:
        return Cluster(**_known(options))
    except ValueError as error:
        refuse(str(error))


def _known(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the options; fails the test if a name is no argument of `Cluster`."""
    known = list(signature(Cluster).parameters)
    for name in options:
        if name not in known:
            refuse(f"unknown argument {name!r}: expected {nearest(name, known)}")
    return options


def refuse(reason: str) -> NoReturn:
    """Fails the test with one line instead of a traceback."""
    pytest.fail(f"kraft: {reason}", pytrace=False)
