"""The `expect:` block of a scenario file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from ..conditions.condition import Condition
from ..language.constraints import Bare, OneOf
from ..properties import ALL, GROUPS
from ..properties.own_properties import is_own
from .converge import Converge
from .during import During
from .leads_to import LeadsTo
from .measure import Measure


class KnownProperty(OneOf):
    """Constraint: the name of a built-in property, or of a function (`checks.py:name`)."""

    def check(self, value: object) -> None:
        """Raises ValueError for an unknown property that is not a function in a file."""
        if not (isinstance(value, str) and is_own(value)):
            super().check(value)

    def to_schema(self) -> dict[str, object]:
        """Returns the constraint in JSON Schema."""
        return {"anyOf": [super().to_schema(), {"type": "string", "pattern": "[.]py:"}]}


PropertyName = Annotated[str, KnownProperty((*GROUPS, *(property_.name for property_ in ALL)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """What the scenario claims.

    `always`: properties by name, `all` properties that hold in Kafka, those of `safety`, which hold
    at every moment, or your own functions (`checks.py:two_at_most`); `never`: conditions that must
    not come true; `sometimes`: conditions that must come true; `leads_to`: conditions that must
    follow other conditions; `during`: conditions that hold throughout a fault or a window; `calm`:
    conditions that hold at the end of the calm; `converge`: values that become equal in the calm;
    `measure`: measured numbers, by name; `fails_with`: the property or claim that this scenario is
    known to break; `idle`: properties that a swarm is known never to test. A campaign fails if
    another property is idle in all runs of its swarms.
    """

    always: Annotated[tuple[PropertyName, ...], Bare()] = ("all",)
    never: tuple[Condition, ...] = ()
    sometimes: tuple[Condition, ...] = ()
    leads_to: tuple[LeadsTo, ...] = ()
    during: tuple[During, ...] = ()
    calm: tuple[Condition, ...] = ()
    converge: tuple[Converge, ...] = ()
    measure: Mapping[str, Measure] = field(default_factory=dict)
    fails_with: str | None = None
    idle: tuple[PropertyName, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Returns the names of the claims, as in `never[0]`, for `fails_with` and violations."""
        kinds = ("leads_to", "never", "sometimes", "during", "calm", "converge")
        places = (f"{kind}[{n}]" for kind in kinds for n in range(len(getattr(self, kind))))
        return (*places, *(f"measure.{name}" for name in self.measure))
