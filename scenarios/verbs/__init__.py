"""Every verb of a scenario, by its word (`VERBS`): one file per family."""

from . import (
    admin,
    clocks,
    disks,
    forged_replies,
    hostile,
    leadership,
    link_quality,
    links,
    membership,
    processes,
    requests,
    security,
    topics,
)
from .verb import VERBS, Verb

__all__ = [
    "VERBS",
    "Verb",
    "admin",
    "clocks",
    "disks",
    "forged_replies",
    "hostile",
    "leadership",
    "membership",
    "processes",
    "requests",
    "security",
    "links",
    "topics",
    "link_quality",
]
