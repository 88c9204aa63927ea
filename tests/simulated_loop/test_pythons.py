"""On every Python a seed gives one history in every process, and CPython's own tests pass on a
simulated loop as on asyncio's own."""

import sys
from functools import cache

import pytest

from tests.other_pythons import OTHERS, THIS, NoPython, python_with

from .fresh_processes import told_by

pytestmark = pytest.mark.slow

HISTORIES: dict[str, tuple[int, ...]] = {  # with the arguments after the seed
    "chance": (),
    "two-waiters": (),
    "ten-deadlines": (),
    "failover": (5,),  # minutes
    "rolling-restart": (),
}
IN_A_SOAK = HISTORIES | {"failover": (60,)}
SEED, OTHER_SEED = 7, 8
PROCESSES = 10  # of each history and Python, in a soak


def digest(python: str, name: str, seed: int, arguments: tuple[int, ...]) -> str:
    return told_by(python, "histories", name, seed, *arguments)


@cache
def expected(name: str, arguments: tuple[int, ...]) -> str:
    return digest(sys.executable, name, SEED, arguments)


def python_of(version: str) -> str:
    if version == THIS:
        return sys.executable
    try:
        return python_with(version, "aiokafka")
    except NoPython as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", HISTORIES)
def test_a_seed_gives_one_history_and_another_seed_another(name: str) -> None:
    arguments = HISTORIES[name]

    assert digest(sys.executable, name, SEED, arguments) == expected(name, arguments)
    assert digest(sys.executable, name, OTHER_SEED, arguments) != expected(name, arguments)


@pytest.mark.parametrize("version", OTHERS)
@pytest.mark.parametrize("name", HISTORIES)
def test_another_python_gives_the_same_history(name: str, version: str) -> None:
    arguments = HISTORIES[name]

    assert digest(python_of(version), name, SEED, arguments) == expected(name, arguments)


@pytest.mark.soak
@pytest.mark.parametrize("version", [THIS, *OTHERS])
@pytest.mark.parametrize("name", HISTORIES)
def test_ten_processes_of_each_python_give_one_history(name: str, version: str) -> None:
    python, arguments = python_of(version), IN_A_SOAK[name]

    for _ in range(PROCESSES):
        assert digest(python, name, SEED, arguments) == expected(name, arguments)
    assert digest(python, name, OTHER_SEED, arguments) != expected(name, arguments)


@pytest.mark.parametrize(
    "version",
    [pytest.param(of, marks=() if of == THIS else pytest.mark.soak) for of in (THIS, *OTHERS)],
)
def test_the_tests_of_cpython_pass(version: str) -> None:
    if version == THIS:
        pytest.importorskip("test.test_asyncio", reason="this Python comes without its own tests")
    assert told_by(python_of(version), "cpython_tests")
