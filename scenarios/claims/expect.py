"""The block `expect:` of a scenario file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from ..conditions.condition import Condition
from ..language.constraints import Bare, OneOf
from ..properties import ALL
from ..properties.own_properties import is_own
from .converge import Converge
from .during import During
from .leads_to import LeadsTo
from .measure import Measure


class KnownProperty(OneOf):
    """One of ours, or a function of a file beside the scenario."""

    def check(self, value: object) -> None:
        if not (isinstance(value, str) and is_own(value)):
            super().check(value)

    def to_schema(self) -> dict[str, object]:
        return {"anyOf": [super().to_schema(), {"type": "string", "pattern": "[.]py:"}]}


PropertyName = Annotated[str, KnownProperty(("all", *(one.name for one in ALL)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """`always`: names of properties, all that hold in the profile, or functions of one's own
    (`checks.py:two_at_most`); `never`: conditions that must
    not come about; `sometimes`: ones that must; `during`: what holds as long as something goes on;
    `calm`: what holds at the end; `converge`: what becomes equal in the calm; `measure`: numbers,
    by their names; `fails_with`: the property, or the claim, that this scenario is known to
    break."""

    always: Annotated[tuple[PropertyName, ...], Bare()] = ("all",)
    never: tuple[Condition, ...] = ()
    sometimes: tuple[Condition, ...] = ()
    leads_to: tuple[LeadsTo, ...] = ()
    during: tuple[During, ...] = ()
    calm: tuple[Condition, ...] = ()
    converge: tuple[Converge, ...] = ()
    measure: Mapping[str, Measure] = field(default_factory=dict)
    fails_with: str | None = None

    def names(self) -> tuple[str, ...]:
        """Of its claims, by which `fails_with` and violations know them: kind and place."""
        kinds = ("leads_to", "never", "sometimes", "during", "calm", "converge")
        places = (f"{kind}[{n}]" for kind in kinds for n in range(len(getattr(self, kind))))
        return (*places, *(f"measure.{name}" for name in self.measure))
