"""Says that committed files of a campaign are missing or have another size, and what to do."""

from collections.abc import Sequence
from pathlib import Path


def damage_line(folder: Path, damage: Sequence[str]) -> str:
    """Returns a sentence about the damaged files of a campaign; `damage` has one for each."""
    more = f" (and {len(damage) - 1:,} more damaged files)" if len(damage) > 1 else ""
    return (
        f"{damage[0]}{more}; move the shards aside with `kraftsim campaign sweep {folder}`, then "
        "`resume` runs them again"
    )
