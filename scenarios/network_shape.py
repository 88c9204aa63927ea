"""What messages meet on their way when nothing is wrong."""

from dataclasses import dataclass
from typing import Annotated

from .amounts import Amount, in_order
from .constraints import Between

_HALF_A_MS, _FIVE_MS = Amount(fixed_us=500), Amount(fixed_us=5_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkShape:
    """One message takes `low` to `high`, evenly; `loss` is the part that is lost."""

    low: Amount = _HALF_A_MS
    high: Amount = _FIVE_MS
    loss: Annotated[float, Between(0, 1)] = 0.0

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)
