"""The block `expect:` of a scenario file."""

from dataclasses import dataclass
from typing import Annotated

from ..conditions import Condition
from ..constraints import Bare, OneOf
from ..properties import ALL
from .leads_to import LeadsTo

PropertyName = Annotated[str, OneOf(("all", *(one.name for one in ALL)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """`always`: names of properties, or all that hold in the profile; `never`: conditions that must
    not come about; `sometimes`: ones that must; `calm`: what holds at the end; `fails_with`: the
    property that this scenario is known to break."""

    always: Annotated[tuple[PropertyName, ...], Bare()] = ("all",)
    never: tuple[Condition, ...] = ()
    sometimes: tuple[Condition, ...] = ()
    leads_to: tuple[LeadsTo, ...] = ()
    calm: tuple[Condition, ...] = ()
    fails_with: str | None = None

    def names(self) -> tuple[str, ...]:
        """Of its claims, by which `fails_with` and violations know them: kind and place."""
        kinds = ("leads_to", "never", "sometimes", "calm")
        return tuple(f"{kind}[{n}]" for kind in kinds for n in range(len(getattr(self, kind))))
