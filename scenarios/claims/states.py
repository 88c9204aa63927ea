"""Claims that are one condition: what never comes about, what does once, what is in the end."""

from ..conditions.condition import Condition
from ..conditions.unknown_subjects import is_about_somebody
from ..language.reading import document_of
from ..language.spelling import as_written
from ..stage.stage import Stage
from .claim import Claim, Settle, nothing_more


def never(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    """Of those that there never were, it says nothing."""
    said = f"expected never: {_written(condition)}"
    stage.wait_for(condition, lambda: claim.break_(said, stage))

    def settle() -> None:
        if is_about_somebody(condition, stage):
            claim.occurs()

    return settle


def sometimes(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    stage.wait_for(condition, claim.occurs)
    return nothing_more


def calm(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    def settle() -> None:
        if is_about_somebody(condition, stage):
            claim.occurs()
        if not condition.watched(stage)():
            claim.break_(f"expected in the end: {_written(condition)}", stage)

    return settle


def _written(condition: Condition) -> str:
    return as_written(document_of(condition))
