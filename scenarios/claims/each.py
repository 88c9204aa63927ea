"""Claims about each of several nodes: `each: brokers` repeats the claim for each, as `$each`."""

from collections.abc import Iterator
from typing import Protocol, TypeVar

from kraftsim.controller.core.node_id import numbers_of

from ..language.positions import changed
from ..language.selectors import EACH, Selector
from ..stage.stage import Stage


class HasEach(Protocol):
    """A claim with the word `each`."""

    @property
    def each(self) -> Selector | None: ...


T = TypeVar("T", bound=HasEach)


def one_by_one(claim: T, stage: Stage) -> Iterator[T]:
    """Yields the claim about each node that `each` names now; without `each` the claim itself."""
    if claim.each is None:
        yield claim
        return
    for number in numbers_of(stage.nodes(claim.each)):
        yield about(number, claim)


def about(number: int, claim: T) -> T:
    """Returns the claim with `$each` replaced by the node `number`."""
    return changed(Selector, claim, lambda selector: selector.with_bound(EACH, number))
