"""A part of a tape as pictures: the scene whenever it changes, and the messages."""

from collections.abc import Iterator
from typing import Any, cast

from kraftsim.scenarios.running.play import Play

from .camera import Camera
from .documents import Film, MessageScene, Moment, Scene, SceneChange
from .scene import scene_of

MOMENTS_MAX = 2_000  # of one film
MESSAGES_MAX = 20_000


class FilmCamera(Camera):
    """Keeps the pictures of the first MESSAGES_MAX messages."""

    def __init__(self, play: Play) -> None:
        super().__init__(play.run.world, lambda: play.run.stage.faults)
        self.messages: list[MessageScene] = []
        self.attach()

    def began(self, picture: MessageScene) -> bool:
        has_room = len(self.messages) < MESSAGES_MAX
        if has_room:
            self.messages.append(picture)
        return has_room


def film_of(play: Play, to_us: int) -> Film:
    """Advances the play to `to_us`, and returns what was to be seen on the way."""
    camera = FilmCamera(play)
    from_us, digest = play.now_us, play.run.digest.text()
    scene = scene_of(play.run.world, play.run.stage.faults)
    moments = list(_moments(play, scene, to_us))
    return {
        "fromUs": from_us,
        "toUs": play.now_us,
        "digest": digest,
        "scene": scene,
        "moments": moments,
        "messages": camera.messages,
    }


def _moments(play: Play, before: Scene, to_us: int) -> Iterator[Moment]:
    """Yields a moment for each instant at which the scene changes."""
    world, stage, count = play.run.world, play.run.stage, 0
    while not play.is_over and play.next_us <= to_us and count < MOMENTS_MAX:
        play.advance(play.next_us)
        scene = scene_of(world, stage.faults)
        if scene != before:
            yield {"atUs": play.now_us, "change": _change(before, scene)}
            before, count = scene, count + 1
    if count < MOMENTS_MAX:
        play.advance(to_us)


def _change(before: Scene, scene: Scene) -> SceneChange:
    change: dict[str, object] = {}
    old, new = dict(before), dict(scene)
    for name, value in new.items():
        if value != old[name]:
            change[name] = _entries(old[name], value) if isinstance(value, dict) else value
    return cast(SceneChange, change)


def _entries(old: Any, new: dict[str, object]) -> dict[str, object]:
    gone: dict[str, object] = {key: None for key in old if key not in new}
    return gone | {key: value for key, value in new.items() if old.get(key) != value}
