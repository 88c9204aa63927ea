"""The rows of the table of operations about lessons, and about the picture of a cluster."""

from typing import TYPE_CHECKING

from ..lessons.documents import (
    ExportDocument,
    Film,
    LeadDocument,
    LessonList,
    Picture,
    Story,
    StoryPage,
    Why,
)
from .operation import Operation, Run

if TYPE_CHECKING:
    from ..api.cluster import Cluster


async def show_scene(kraft: "Cluster", from_: int | None = None) -> Picture:
    """Show who leads, who has a lease, who believes what, and messages since a number."""
    return await kraft.scene(from_)


async def show_events_in_words(kraft: "Cluster", from_: int = 0, limit: int = 1000) -> StoryPage:
    """Show the events of the cluster in sentences."""
    return await kraft.story(from_, limit)


async def list_lessons(kraft: "Cluster") -> LessonList:
    """List the lessons."""
    return {"lessons": list(await kraft.lessons.list())}


async def show_story(
    kraft: "Cluster", name: str, seed: int = 17, profile: str = "", acts: str = "[]"
) -> Story:
    """Show everything that happens in a lesson, or in a branch of it."""
    return await kraft.lessons.story(name, seed, profile, acts)


async def show_film(
    kraft: "Cluster",
    name: str,
    seed: int = 17,
    profile: str = "",
    acts: str = "[]",
    from_us: int = 0,
    to_us: int = 0,
) -> Film:
    """Show the pictures and messages of a lesson between two times."""
    return await kraft.lessons.film(name, seed, profile, acts, from_us, to_us)


async def show_why(
    kraft: "Cluster", name: str, event: int, seed: int = 17, profile: str = "", acts: str = "[]"
) -> Why:
    """Show why an event of a lesson happened."""
    return await kraft.lessons.why(name, event, seed, profile, acts)


async def export_lesson(kraft: "Cluster", link: str, format: str = "html") -> ExportDocument:
    """Write what a link of the page shows as a file for a viewer."""
    return await kraft.lessons.export(link, format)


async def show_lead(kraft: "Cluster") -> LeadDocument:
    """Show the place to which the instructor of a class brings every visitor."""
    return await kraft.lessons.lead()


async def steer_lesson(kraft: "Cluster", place: str) -> LeadDocument:
    """Bring every visitor of the page to a place in a lesson, and keep them there."""
    return await kraft.lessons.steer(place)


async def release_lesson(kraft: "Cluster") -> LeadDocument:
    """Let every visitor of the page go where they like."""
    return await kraft.lessons.release()


async def predict_lesson(kraft: "Cluster", choice: str) -> LeadDocument:
    """Count what a visitor predicts at the place of the class."""
    return await kraft.lessons.predict(choice)


def _verb(verb: str, run: Run) -> Operation:
    path, words = f"/v1/lessons/{{name}}/{verb}", ("lesson", verb)
    return Operation("GET", path, words, run)


def _class(verb: str, run: Run) -> Operation:
    words = ("lesson", verb)
    return Operation("POST", f"/sim/lessons/{verb}", words, run, changes=True)


LESSON_OPERATIONS = (
    Operation("GET", "/v1/scene", ("scene",), show_scene),
    Operation("GET", "/v1/story", ("story",), show_events_in_words),
    Operation("GET", "/v1/lessons", ("lesson", "list"), list_lessons),
    _verb("story", show_story),
    _verb("film", show_film),
    _verb("why", show_why),
    Operation("POST", "/v1/lessons/export", ("lesson", "export"), export_lesson),
    Operation("GET", "/v1/lessons/lead", ("lesson", "lead"), show_lead),
    _class("steer", steer_lesson),
    _class("release", release_lesson),
    Operation("POST", "/v1/lessons/predict", ("lesson", "predict"), predict_lesson),
)
