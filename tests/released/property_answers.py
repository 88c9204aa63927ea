"""Records what released Kafka 4.3.1 answers to the property files of tests/configuration.

    python -m tests.released.property_answers

writes tests/configuration/answers-4.3.1.json, which tests without Java are held against.
"""

import json
from pathlib import Path

from tests.configuration.cases import cases
from tests.released.read_properties import read_by
from tests.released.releases import RELEASES

RELEASE = RELEASES["4.3.1"]
ANSWERS = Path(__file__).parents[1] / "configuration" / f"answers-{RELEASE.version}.json"


def answers() -> dict[str, object]:
    """Returns the pairs that Java reads, and the message of Kafka's refusal or None, by name."""
    texts = cases()
    return dict(zip(texts, read_by(RELEASE, list(texts.values())), strict=True))


if __name__ == "__main__":
    ANSWERS.write_text(json.dumps(answers(), indent=1, ensure_ascii=False) + "\n", "utf-8")
