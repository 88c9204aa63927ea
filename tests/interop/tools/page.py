"""Writes docs/tools.md: what each of Kafka's tools prints of kraftsim, beside a released cluster.

`python -m tests.interop.tools.page` writes the page; tests/interop/test_tools.py fails if the page
differs from the result, if the tools print something that docs/tools.toml does not explain, and if
a row of it explains nothing.
"""

from collections.abc import Iterator
from pathlib import Path

from tests.interop.tools.explained import Reason, reasons
from tests.interop.tools.steps import Ask, steps

PAGE = Path(__file__).resolve().parents[3] / "docs" / "tools.md"
INTRODUCTION = """\
# Kafka's tools

Written by `python -m tests.interop.tools.page` from `tests/interop/tools/steps.txt` and
`docs/tools.toml`; do not edit this page.

The command line tools of Kafka 4.3.1 run against `kraftsim up --profile kafka-4.3` (three
controllers, three brokers) in `make test`, command by command, and must print what they printed of
a released cluster of the same shape (`tests/interop/tools/recorded.json`), errors and exit codes
included. Addresses, ids, rates and times are not compared. `kafka-dump-log` reads a metadata log of
kraftsim in `tests/interop/test_log_dump.py`, and the exported log of a topic in
`tests/interop/test_log_export.py`. `kafka-verifiable-producer` has a process of its own in
`tests/interop/test_verifiable_producer.py`, because it reports when that ends.
`kafka-verifiable-consumer` and `kafka-consumer-perf-test` read in groups, which kraftsim refuses.

- **same**: every command of the verb prints the same.
- **differs**: at least one command prints something else, for the reason below the table.
- **refused**: kraftsim refuses at least one command that a released cluster serves.

| tool | verb | commands | verdict |
|---|---|---|---|
"""
_VERBS = (
    *("cluster-id", "list-endpoints", "unregister"),
    *("upgrade", "downgrade", "disable", "version-mapping", "feature-dependencies"),
    *("add-controller", "remove-controller"),
    *("describe-producers", "find-hanging", "list", "describe"),
    *("--generate", "--execute", "--verify", "--cancel"),
    *("--create", "--alter", "--delete", "--list", "--describe"),
    *("--add", "--remove", "--renew", "--expire"),
)
_ENTITIES = {
    "--topic": "topics",
    "--broker-defaults": "brokers",
    "--user": "users",
    "--user-defaults": "users",
    "--client": "clients",
    "--client-defaults": "clients",
    "--ip": "ips",
    "--ip-defaults": "ips",
    "--group": "groups",
    "--client-metrics": "client-metrics",
}


def render() -> str:
    """Returns the page."""
    known = reasons()
    return INTRODUCTION + "\n".join([*_rows(known), "", *_texts(known)]) + "\n"


def _rows(known: list[Reason]) -> Iterator[str]:
    verbs: dict[tuple[str, str], list[str]] = {}
    for step in steps():
        if isinstance(step, Ask) and step.is_kept:
            verbs.setdefault((step.tool, _verb(step)), []).append(step.line)
    tools = list(dict.fromkeys(tool for tool, _ in verbs))
    for (tool, verb), lines in sorted(verbs.items(), key=lambda row: tools.index(row[0][0])):
        cells = (f"kafka-{tool}", f"`{verb}`" if verb else "", len(lines), _verdict(lines, known))
        yield f"| {' | '.join(map(str, cells))} |"


def _verb(step: Ask) -> str:
    """Returns the verb of a command, with what a reader would look for beside it."""
    words = step.words
    verb = next((verb for verb in _VERBS if verb in words), "")
    if step.tool == "configs":
        return f"{verb} {_entity(words)}"
    if step.tool == "leader-election":
        return words[words.index("--election-type") + 1]
    extra = next((word for word in words if word in ("--status", "--replication")), "")
    return f"{verb} {extra}".rstrip()


def _entity(words: tuple[str, ...]) -> str:
    named = [words[at + 1] for at, word in enumerate(words) if word == "--entity-type"]
    return ", ".join(named or [_ENTITIES[word] for word in words if word in _ENTITIES])


def _verdict(lines: list[str], known: list[Reason]) -> str:
    """Returns "same", or the reasons for which some of the commands differ."""
    found = [
        f"{reason.verdict}: [{reason.id}](#{reason.id})"
        for reason in known
        if any(reason.steps.fullmatch(line) for line in lines)
    ]
    return ", ".join(found) or "same"


def _texts(known: list[Reason]) -> Iterator[str]:
    yield "## What differs, and why\n"
    for reason in known:
        yield f'<a id="{reason.id}"></a>\n'
        yield f"**{reason.id}** ({reason.verdict}): {reason.why}\n"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
