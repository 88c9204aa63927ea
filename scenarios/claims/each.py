"""Claims about several nodes: `each: brokers` repeats the claim for each broker, as `$each`."""

from collections.abc import Iterator
from typing import Protocol, TypeVar

from kraftsim.controller.core.node_id import numbers_of

from ..language.positions import changed
from ..language.selectors import EACH, Selector
from ..stage.stage import Stage


class HasEach(Protocol):
    """A claim that may have the word `each`."""

    @property
    def each(self) -> Selector | None: ...


T = TypeVar("T", bound=HasEach)


def claims_per_node(claim: T, stage: Stage) -> Iterator[T]:
    """Yields the claim once per node that `each` selects now; without `each`, yields it once."""
    if claim.each is None:
        yield claim
        return
    for number in numbers_of(stage.nodes(claim.each)):
        yield claim_about(number, claim)


def claim_about(number: int, claim: T) -> T:
    """Returns the claim with `$each` replaced by the node `number`."""
    return changed(Selector, claim, lambda selector: selector.with_bound(EACH, number))
