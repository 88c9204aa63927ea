"""Merges two documents: a file over its includes, or a `smoke:` block over its file."""

from collections.abc import Mapping


def laid_over(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Returns `below` with the words of `above`; merges nested mappings and replaces lists."""
    whole = dict(below)
    for key, value in above.items():
        under = whole.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        whole[key] = laid_over(under, value) if both else value  # type: ignore[arg-type]  # both are mappings
    return whole
