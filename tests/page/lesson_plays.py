"""Lessons, played in the test's own process: what the page must show."""

from dataclasses import dataclass

from kraftsim.files.scenario_files import library, read_file
from kraftsim.lessons.documents import BrokerScene
from kraftsim.lessons.scene import scene_of
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Run

SEED = 17
OTHERS = ("gc-pause-longer-than-lease", "rack-partition")  # scenarios that are no lessons
TRUTHS = {"shutting down": "controlled shutdown"}  # as the page names them; else as they are
PROCESSES = {
    "RUNNING": "running",
    "STARTING": "starting",
    "RECOVERY": "catching up",
    "PAUSED": "paused",
    "NOT_RUNNING": "gone",
    "PENDING_CONTROLLED_SHUTDOWN": "draining",
    "SHUTTING_DOWN": "ending",
}


def lesson_names() -> list[str]:
    """Returns the lessons of the library, and two scenarios beside them."""
    return [*(name for name in library() if name.startswith("lesson-")), *OTHERS]


@dataclass(frozen=True, slots=True)
class Moment:
    """A world at one time: its digest, and the state of each broker in the words of the page."""

    digest: str
    brokers: dict[str, str]


def moments_of(name: str, *times_us: int) -> list[Moment]:
    """Plays a lesson from its start through these times, the earliest first."""
    scenario = read_file(library()[name]).scenario
    play = Play(Run(scenario, SEED))
    return [_moment(play, at_us) for at_us in times_us]


def _moment(play: Play, at_us: int) -> Moment:
    play.advance(at_us)
    brokers = scene_of(play.run.world)["brokers"]
    return Moment(
        play.run.digest.text(), {broker_id: _words(broker) for broker_id, broker in brokers.items()}
    )


def _words(broker: BrokerScene) -> str:
    return f"{TRUTHS.get(broker['truth'], broker['truth'])} · {PROCESSES[broker['state']]}"
