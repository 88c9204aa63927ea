"""A run that a service offers as a lesson beside the library, as `scenario run --open` asks for.

The user of the service has chosen it. It is known by its name: no request names a file.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field

from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.properties.own_properties import define

from ..errors import UnknownLesson
from ..files.scenario_files import library


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A scenario as a document, with its seed and at most one planted bug.

    `called` is the name or path with which a shell runs the scenario. `own` has the sources of the
    Python files that define properties of the scenario; whoever makes an offer may run them.
    """

    document: Mapping[str, object]
    seed: int
    called: str
    mutant: str = ""
    own: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the scenario, under which it is offered."""
        return str(self.document["name"])

    def called_as(self, name: str) -> str:
        """Returns the name or path with which a shell runs the scenario `name`."""
        return self.called if name == self.name else name

    def scenario(self) -> Scenario:
        """Parses the scenario, after defining its own properties."""
        for file, source in self.own.items():
            define(file, source)
        return read_scenario(self.document)

    def planted(self) -> AbstractContextManager[None]:
        """Plants the bug for the duration of the context; does nothing without a bug."""
        if not self.mutant:
            return nullcontext()
        from kraftsim.scenarios.mutants import MUTANTS, planted

        return planted(MUTANTS[self.mutant])

    def to_document(self) -> dict[str, object]:
        """Returns the offer as JSON values."""
        return asdict(self)


def expect_lesson(name: str, offer: Offer | None) -> None:
    """Raises UnknownLesson unless the library has a scenario of this name, or it is offered."""
    if name not in library() and (offer is None or name != offer.name):
        raise UnknownLesson(name, sorted(library()))
