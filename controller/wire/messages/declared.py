"""All declarations, by what they declare. Their heads are read at import, their fields are not."""

from functools import cache

from . import (
    acls,
    assignments,
    authentication,
    brokers,
    cluster,
    configs,
    control_records,
    descriptions,
    envelope,
    features,
    fetch,
    groups,
    partitions,
    quorum,
    quotas,
    records,
    scram,
    share_groups,
    snapshot,
    stored_messages,
    streams_groups,
    telemetry,
    topics,
    transactions,
    voters,
)
from .grammar import Declaration, DeclaredStruct, declarations, read_struct

_SUBJECTS = (
    *(acls, assignments, authentication, brokers, cluster, configs, control_records, descriptions),
    *(envelope, features, fetch, groups, partitions, quorum, quotas, records, scram, share_groups),
    *(snapshot, stored_messages, streams_groups, telemetry, topics, transactions, voters),
)
TEXTS = {module.__name__.rpartition(".")[2]: module.TEXT for module in _SUBJECTS}
"""The texts by subject, which is the name of the module here and of the module of classes."""
LOG_SUBJECTS = ("records", "control_records")
"""The subjects whose classes are in `core/log`; those of all others are in `core/rpc`."""
ON_DEMAND = (
    *("authentication", "groups", "share_groups", "stored_messages", "streams_groups"),
    "transactions",
)
"""The subjects whose classes are imported when one of their messages is first read."""

_ALL = tuple(
    declaration for subject, text in TEXTS.items() for declaration in declarations(text, subject)
)


def of_sort(sort: str) -> list[Declaration]:
    """Returns the declarations of one sort: "api", "record", "control", "data" or "struct"."""
    return [declaration for declaration in _ALL if declaration.sort == sort]


def of_subject(subject: str) -> list[Declaration]:
    """Returns the declarations whose classes are in the module of a subject."""
    return [declaration for declaration in _ALL if declaration.subject == subject]


SHARED_STRUCTS = {declaration.name: declaration for declaration in of_sort("struct")}


@cache
def shared_struct(name: str) -> DeclaredStruct:
    """Returns the shared structure of this name, which may be another than that of its class."""
    declaration = SHARED_STRUCTS[name]
    return read_struct(declaration.model, declaration.body)
