"""What an instructor shows to a class: a place in a lesson at which every visitor is kept.

A place is what the address of the page holds after `#`: lesson, seed, profile, acts and time.
"""

from collections import Counter
from typing import Final
from urllib.parse import parse_qs

from ..errors import UsageError
from .documents import LeadDocument
from .offer import Offer, expect_lesson

PLACE_MAX: Final = 8_000  # characters; a browser's address holds as many
CHOICES_MAX: Final = 50  # different predictions that are counted
CHOICE_MAX: Final = 200  # characters


class Lead:
    """The place of a class, whether its visitors are kept there, and what they predict.

    The place is in a lesson of the library or in the offered run.
    """

    def __init__(self, offer: Offer | None = None) -> None:
        self._offer = offer
        self._place = ""
        self._is_kept = False
        self._number = 0
        self._predictions: Counter[str] = Counter()

    def steer(self, place: str) -> LeadDocument:
        """Brings every visitor to a place, and keeps them there until `release`.

        Raises UnknownLesson if no lesson is there.
        """
        if len(place) > PLACE_MAX:
            raise UsageError(f"place: expected at most {PLACE_MAX} characters, got {len(place)}")
        place = place.removeprefix("#")
        (name, *_) = parse_qs(place).get("lesson", [""])
        expect_lesson(name, self._offer)
        self._place, self._is_kept = place, True
        self._number += 1
        self._predictions.clear()
        return self.document()

    def release(self) -> LeadDocument:
        """Lets visitors go where they like."""
        self._is_kept = False
        return self.document()

    def predict(self, choice: str) -> LeadDocument:
        """Counts what a visitor predicts at the place of the class."""
        if not choice or len(choice) > CHOICE_MAX:
            got = f"{len(choice)}"
            raise UsageError(f"choice: expected 1 to {CHOICE_MAX} characters, got {got}")
        if choice in self._predictions or len(self._predictions) < CHOICES_MAX:
            self._predictions[choice] += 1
        return self.document()

    def document(self) -> LeadDocument:
        """Returns the place, and the predictions since visitors were brought there."""
        return {
            "place": self._place,
            "isKept": self._is_kept,
            "number": self._number,
            "predictions": dict(self._predictions),
        }
