"""Whatever Python can do with faults, HTTP, the command line and scenario files can do too."""

import inspect
import json
from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.api.documents import FaultHistory
from kraftsim.api.faults import Faults
from kraftsim.api.running.fault_handle import FaultHandle
from kraftsim.cli.main import main
from kraftsim.operations.table import OPERATIONS
from kraftsim.scenarios.document.fault import FAULTS, InjectedFault
from kraftsim.scenarios.document.step import Step
from kraftsim.scenarios.language.reading import document_of, words_of
from tests.kraftsim.conftest import Http, Service
from tests.kraftsim.fault_words import WORDS

# All words that select requests and their times, which every verb of rpc.* accepts.
SELECTING: dict[str, object] = {
    "api": ["BrokerHeartbeat", "Fetch"],
    "broker": 1,
    "controller": 3000,
    "epoch": "stale",
    "incarnation": "A" * 22,
    "client_id": "admin",
    "listener": "controller",
    "versions": [1, 2],
    "from": "1s",
    "until": "9s",
    "count": 3,
    "after": 2,
    "every": 2,
    "p": 0.5,
    "for": "20s",
}
OWN: dict[str, object] = {
    "direction": "reply",
    "apply": "after",
    "window": 3,
    "within": "50ms",
    "to": 3000,
}
PYTHON_ONLY = {"when"}  # a function cannot be written in a document


def full(verb: str) -> dict[str, object]:
    """A document of the verb with all words that it has, as far as a test can give them."""
    words = words_of(FAULTS[verb])
    given = SELECTING | OWN if verb.startswith("rpc.") else {}
    return {verb: {k: v for k, v in given.items() if k in words} | WORDS.get(verb, {})}


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=2, controllers=3, clock="virtual", seed=1, http_port=0) as cluster:
        yield cluster


def test_a_document_of_each_fault_of_requests_gives_all_its_words() -> None:
    missing = {
        verb: set(words_of(kind)) - full(verb)[verb].keys()  # type: ignore[attr-defined]
        for verb, kind in FAULTS.items()
        if verb.startswith("rpc.")
    }

    assert {verb: words for verb, words in missing.items() if words} == {}


@pytest.mark.parametrize("verb", FAULTS)
def test_a_scenario_reads_each_fault_as_a_cluster_does(verb: str) -> None:
    step = Step.from_document({"at": "1s", "id": "it", "say": "so", **full(verb)}, ())
    fault = InjectedFault.from_document({"id": "it", "say": "so", **full(verb)}, ())

    assert (step.verb, step.word, step.id, step.say) == (fault.verb, fault.word, "it", "so")


async def test_http_adds_each_fault_that_python_adds(http: Http, kraft: Cluster) -> None:
    for verb in FAULTS:
        in_python = await kraft.faults.add(full(verb))
        over_http = await http.post("/sim/faults", {"fault": full(verb)})
        await in_python.remove()
        await kraft.faults.remove(over_http.document["id"])

        assert over_http.status == 200, over_http.document
        assert over_http.document["words"] == in_python.document()["words"], verb


@pytest.mark.slow
def test_a_shell_adds_each_fault_that_python_adds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(brokers=2, controllers=3)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    try:
        for verb in FAULTS:
            read = InjectedFault.from_document(full(verb), ())
            code = main(["fault", "add", json.dumps(full(verb)), "--json"])
            shown = json.loads(capsys.readouterr().out)
            main(["fault", "remove", shown["id"]])
            capsys.readouterr()

            assert (code, shown["verb"]) == (0, verb)
            assert shown["words"].keys() == document_of(read.verb).keys(), verb
    finally:
        service.close()


def test_each_method_of_python_is_an_operation_of_http_and_the_command_line() -> None:
    operations = {op.python.removeprefix("faults."): op for op in OPERATIONS if "fault" in op.words}
    inner = {"begin", "handle", "kept", "take_over"}  # of pytest's fixture, and of snapshots
    inner |= {"documents", "held_requests"}  # of a test's report, and of the clock
    methods = public(Faults) - inner

    assert methods == operations.keys()
    for name in methods:
        parameters = set(inspect.signature(getattr(Faults, name)).parameters) - {"self"}
        assert parameters - PYTHON_ONLY == {p.name for p in operations[name].parameters}


def test_each_attribute_of_a_handle_is_a_key_of_its_document_or_an_operation() -> None:
    verbs = {op.words[1] for op in OPERATIONS if op.words[0] == "fault"}
    keys = {*FaultHistory.__annotations__, "text", "document"}  # both forms of all keys

    inner = {"follow", "held_count", "held_messages"}  # of snapshots, and of `fault held`
    inner |= {"of_requests"}  # of the clock

    assert {name.removeprefix("is_") for name in public(FaultHandle)} - keys - inner <= verbs
