"""The JSON of `kraftsim scenario run`: verdict and story of a run."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kraftsim.scenarios.running.run import Result
    from kraftsim.scenarios.running.story import StoryLine


def result_document(result: "Result", drifted: list[str]) -> dict[str, object]:
    """Returns the verdict of a run, and the pins that no longer hold."""
    return {
        "scenario": result.scenario,
        "cell": ", ".join(result.cell),
        "seed": result.seed,
        "verdict": result.verdict,
        "digest": result.digest,
        "violations": [
            {
                "number": violation.number,
                "property": violation.name,
                "what": violation.what,
                "tUs": violation.t_us,
                "seq": violation.seq,
            }
            for violation in result.violations
        ],
        "vacuous": list(result.vacuous),
        "drifted": drifted,
        "effects": dict(result.effects),
        "exercised": dict(result.exercised),
        "idle": list(result.idle),
        "measured": {
            measured.name: {"value": measured.value, "unit": "us" if measured.is_time else "times"}
            | {"take": measured.take, "samples": measured.samples}
            for measured in result.measured
        },
        "events": result.events,
        "virtualUs": result.virtual_us,
    }


def story_document(story: "Iterable[StoryLine]") -> dict[str, object]:
    """Returns the story of a run: the texts with their times, and their facts as fields."""
    return {"story": list(map(_line_document, story))}


def _line_document(line: "StoryLine") -> dict[str, object]:
    return {
        "seq": line.seq,
        "tUs": line.t_us,
        "elapsedUs": line.elapsed_us,
        "kind": line.kind,
        "text": line.text,
        "seqs": list(line.seqs),
        "facts": dict(line.facts),
    }
