"""Which names a topic may have (rule 4.54), and the names of Kafka's own topics."""

import re

METADATA_TOPIC = "__cluster_metadata"
CONSUMER_OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"
SHARE_STATE = "__share_group_state"
INTERNAL_TOPICS = (CONSUMER_OFFSETS, TRANSACTIONS, SHARE_STATE)
NAME_LENGTH_MAX = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def flaw(name: str) -> str | None:
    """Returns what is wrong with a topic's name, in Kafka's words; None for a valid name."""
    if not name:
        return "the empty string is not allowed"
    if name in (".", ".."):
        return f"'{name}' is not allowed"
    if len(name) > NAME_LENGTH_MAX:
        return f"the length of '{name}' is longer than the max allowed length {NAME_LENGTH_MAX}"
    if not _LEGAL.fullmatch(name):
        return (
            f"'{name}' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'"
        )
    return None
