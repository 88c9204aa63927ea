"""The claims never, sometimes and calm, which have one condition each."""

from ..conditions.chances import chance_of
from ..conditions.condition import Condition
from ..conditions.row_kinds import row_words
from ..conditions.unknown_subjects import all_subjects_exist
from ..language.reading import document_of
from ..language.spelling import as_written
from ..stage.stage import Stage
from .claim import Claim, Settle, nothing_more


def never(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    """Claims that the condition never comes true.

    The claim is untested if the condition names a node that does not exist at the end, if the run
    never came near to it (`chances.py`), or if no step of the file had an effect.
    """
    message = f"expected never: {_written(condition)}"
    words = row_words(condition)
    stage.wait_for(condition, lambda: claim.break_(message, stage, stage.fresh_seq(words)))
    has_chance = chance_of(condition, stage)

    def settle() -> None:
        if claim.broken or (all_subjects_exist(condition, stage) and has_chance()):
            claim.occurred += not stage.is_untouched

    return settle


def sometimes(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    """Claims that the condition comes true at least once."""
    stage.wait_for(condition, claim.occurs)
    return nothing_more


def calm(condition: Condition, stage: Stage, claim: Claim) -> Settle:
    """Claims that the condition holds at the end of the calm."""

    def settle() -> None:
        if all_subjects_exist(condition, stage):
            claim.occurs()
        if not condition.watched(stage)():
            claim.break_(f"expected at the end: {_written(condition)}", stage)

    return settle


def _written(condition: Condition) -> str:
    return as_written(document_of(condition))
