"""Writes docs/faults.md: every verb of a fault, the words that aim it, and what it stands for.

`python -m tools.fault_page` writes the page; tests/kraftsim/test_references.py fails if the page
differs from the result.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from kraftsim.scenarios.document.fault import FAULTS, meaning
from kraftsim.scenarios.document.fault_causes import CAUSES
from kraftsim.scenarios.language import lags
from kraftsim.scenarios.language.reading import words_of
from kraftsim.scenarios.verbs import VERBS
from kraftsim.scenarios.verbs.links import Ways
from kraftsim.scenarios.verbs.request_matching import Directed, Requests
from kraftsim.simulation.requests.hit_log import HITS_MAX

PAGE = Path(__file__).resolve().parent.parent / "docs" / "faults.md"
EXAMPLES = Path(__file__).with_name("fault_examples.md")
FAMILIES = {
    "rpc": "Requests",
    "net": "Links",
    "proc": "Processes",
    "clock": "Clocks",
    "disk": "Disks",
    "log": "Messages on the disks of brokers",
    "replica": "Followers",
    "quorum": "The active controller",
    "client": "Clients",
    "load": "Load",
    "broker": "Releases of brokers",
    "controller": "Releases of controllers",
}
WHICH: Mapping[str, tuple[str, str]] = {
    "api": ("a name or a list", "Kafka's name of the API, such as `BrokerHeartbeat`"),
    "broker": (
        "nodes",
        "the broker that sent the request or that it is about, or else the broker whose listener "
        "it reached",
    ),
    "controller": ("nodes", "the controller that the request reached"),
    "listener": ("`broker`, `controller`", "the kind of the listener that it reached"),
    "epoch": (
        "a number, `stale`, `current`, `future`",
        "the broker epoch in the request; a word compares it with the committed registration",
    ),
    "incarnation": ("an id", "the incarnation id of a registration, as Kafka prints ids"),
    "client_id": ("a text", "the client id; only requests over a socket have one"),
    "versions": ("a list of numbers", "the version of the API; only of requests over a socket"),
    "direction": (
        "`request`, `reply`",
        "of some verbs: affects the reply of a request that was handled, not the request",
    ),
}
WHEN: Mapping[str, tuple[str, str]] = {
    "from": ("a time", "acts from this time on, since the fault began"),
    "until": ("a time", "acts before this time, since the fault began"),
    "after": ("a number", "skips the first requests"),
    "every": ("a number", "then acts on each n-th request"),
    "p": ("0 to 1", "with this probability, drawn from a stream that no other fault has"),
    "count": ("a number, -1", "acts so many times (default -1: any number)"),
    "for": ("a time", "ends after this time, which also releases what the fault holds"),
}


def render() -> str:
    """Returns the page."""
    missing = {*words_of(Directed)} ^ {*WHICH, *WHEN}
    assert not missing, f"expected a text for each word that selects requests, not so {missing}"
    examples = EXAMPLES.read_text("utf-8").format(hits=HITS_MAX)
    return "\n".join([examples, *_words(), *_lags(), *_families(), *_others()]) + "\n"


def _words() -> Iterator[str]:
    yield "## Words that aim a fault of requests\n"
    yield "All words that are given must match; a list means any of its values.\n"
    yield from _table(("which", "value", "matches"), WHICH)
    yield ""
    yield from _table(("when", "value", "meaning"), WHEN)
    yield "\nRequests outside of `from` and `until` are not counted. scenario-words.md says how"
    yield "[nodes](scenario-words.md#nodes) and [times](scenario-words.md#times) are written.\n"


def _table(heads: Iterable[str], texts: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    heads = tuple(heads)
    yield f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}"
    for word, cells in texts.items():
        yield f"| `{word}` | {' | '.join(cells)} |"


def _lags() -> Iterator[str]:
    first, table = (lags.__doc__ or "").strip().split("\n\n")
    yield f"### Lags (`rpc.delay: by`)\n\n{first}\n\n```\n{table}\n```\n"


def _families() -> Iterator[str]:
    for family, verbs in groupby(sorted(FAULTS, key=_place), key=lambda word: word.split(".")[0]):
        yield f"## {FAMILIES[family]} (`{family}.*`)\n"
        if family == "rpc":
            yield "Each verb has the words above, and these:\n"
        if family == "net":
            words = _listed(words_of(Ways))
            yield f"Most verbs have the words {words}. {meaning(Ways)}\n"
        yield "| verb | words | what it does | stands for | see |\n|---|---|---|---|---|"
        yield from (_row(word) for word in verbs)
        yield ""


def _place(word: str) -> tuple[int, int]:
    """Returns the position of a verb: by its family, then in the order of the catalogue."""
    return list(FAMILIES).index(word.split(".")[0]), list(FAULTS).index(word)


def _row(word: str) -> str:
    kind: Any = FAULTS[word]
    common = {*words_of(Requests)} if issubclass(kind, Requests) else set()
    common |= {*words_of(Ways)} if issubclass(kind, Ways) else set()
    own = [name for name in words_of(kind) if name not in common]
    cause = CAUSES[word]
    see = ", ".join(cause.sources)
    return f"| `{word}` | {_listed(own)} | {meaning(kind)} | {cause.text} | {see} |"


def _others() -> Iterator[str]:
    yield "## Verbs of scenario files only\n"
    yield "A running cluster has operations for these, or no address book that they could change.\n"
    yield "| verb | words | what it does |\n|---|---|---|"
    for word, verb in VERBS.items():
        kind: Any = verb  # mypy finds no __hash__ in the type of a protocol
        if word not in FAULTS:
            yield f"| `{word}` | {_listed(words_of(kind))} | {meaning(verb)} |"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
    print(f"docs/{PAGE.name}: {len(FAULTS)} faults")
