"""Changes and descriptions of SCRAM credentials, some of which Kafka refuses."""

import base64
from typing import Any

from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Step

_NAMES = ("alice", "bob", "carol")
_MECHANISMS = (1, 2)


def alter(draft: Draft) -> Ask:
    counts = (1, 0) if draft.chance(0.3) else (0, 1)
    if draft.chance(0.3):
        counts = draft.random.randint(0, 2), draft.random.randint(0, 3)
    body = {
        "deletions": [_key(draft) for _ in range(counts[0])],
        "upsertions": [_key(draft) | _credential(draft) for _ in range(counts[1])],
    }
    for key in body["upsertions"]:
        draft.credentials.add((key["name"], key["mechanism"]))
    return Ask("AlterUserScramCredentials", 0, body)


def describe(draft: Draft) -> Ask:
    """No controller of Kafka answers it, though each lists it."""
    return Ask("DescribeUserScramCredentials", 0, {"users": [{"name": draft.one_of(*_NAMES)}]})


def _key(draft: Draft) -> dict[str, Any]:
    return {
        "name": "" if draft.chance(0.03) else draft.one_of(*_NAMES),
        "mechanism": draft.one_of(0, 3, -1) if draft.chance(0.05) else draft.one_of(*_MECHANISMS),
    }


def _credential(draft: Draft) -> dict[str, Any]:
    odd = draft.one_of(4095, 16385, 0, -1)
    return {
        "iterations": odd if draft.chance(0.1) else draft.one_of(4096, 8192, 16384),
        "salt": _bytes(draft),
        "saltedPassword": _bytes(draft),
    }


def _bytes(draft: Draft) -> str:
    size = 0 if draft.chance(0.04) else draft.random.randint(1, 100)
    return base64.b64encode(draft.random.randbytes(size)).decode("ascii")


def restore(draft: Draft) -> list[Step]:
    """Remove each credential, alone: the removal of one that is not there is refused."""
    return [
        Ask(
            "AlterUserScramCredentials",
            0,
            {"deletions": [{"name": name, "mechanism": mechanism}], "upsertions": []},
        )
        for name, mechanism in sorted(draft.credentials)
    ]
