"""The captions of a lesson: what is said after an event, and asked before it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.settings import Settings

from ..language.constraints import OneOf
from ..language.texts import filled

ReleaseName = Annotated[str, OneOf(tuple(PROFILES))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """A text that a run prints after an event of the kind `on` since the begin of the steps.

    That is the first of the kind, or the one with the number `count`. A page stops before that
    event and puts the question `ask` with its `choices`, of which `answer` is what happens. In
    the releases of `releases` the caption takes the place of one about the same event that names
    no release. `{session}` and `{0.5 session}` in its texts are the session timeout of the run
    and half of it, as in `say` of a step. `because` names earlier events by kind and number that
    led to this one, and that the journal does not know as its causes: a page shows them before
    the chain of causes. The word `say` adds a text to a step.
    """

    say: str
    on: str
    count: int = 1
    releases: tuple[ReleaseName, ...] = ()
    ask: str = ""
    choices: tuple[str, ...] = ()
    answer: str = ""
    because: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.ask and self.answer not in self.choices:
            listed = ", ".join(self.choices) or "none"
            raise ValueError(f"expected an answer of the choices ({listed}), got {self.answer!r}")
        if self.count < 1:
            raise ValueError(f"expected a count of 1 or more, got {self.count}")

    @property
    def event(self) -> tuple[str, int]:
        """The kind and the number of the event that the caption is about."""
        return self.on, self.count

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the caption."""
        return self.say, self.ask, *self.choices, self.answer

    def filled(self, settings: Settings) -> "Caption":
        """Returns the caption with the values of the settings that its texts name."""
        return replace(
            self,
            say=filled(self.say, settings),
            ask=filled(self.ask, settings),
            choices=tuple(filled(choice, settings) for choice in self.choices),
            answer=filled(self.answer, settings),
        )


def captions_in(captions: Sequence[Caption], release: str, settings: Settings) -> Iterator[Caption]:
    """Yields the captions of a release, with the values of its settings."""
    replaced = {caption.event for caption in captions if release in caption.releases}
    for caption in captions:
        if release in caption.releases or (not caption.releases and caption.event not in replaced):
            yield caption.filled(settings)
