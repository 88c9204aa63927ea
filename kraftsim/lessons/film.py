"""A part of a tape as pictures: the scene whenever it changes, and the messages."""

from collections.abc import Iterator
from typing import Any, cast

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.scenarios.running.play import Play
from kraftsim.simulation.message import Message

from .documents import Film, MessageScene, Moment, Scene, SceneChange
from .scene import scene_of

MOMENTS_MAX = 2_000  # of one film
MESSAGES_MAX = 20_000


class Camera:
    """Records the messages of a play while it advances."""

    def __init__(self, play: Play) -> None:
        self._timeline = play.run.world.timeline
        self._under_way: dict[int, tuple[Message, MessageScene]] = {}
        self.messages: list[MessageScene] = []
        network = play.run.world.network
        network.departed.append(self._departed)
        network.arrived.append(self._arrived)
        network.stopped.append(self._lost)

    def _departed(self, message: Message) -> None:
        if len(self.messages) < MESSAGES_MAX:
            self._seen(message)

    def _seen(self, message: Message) -> MessageScene:
        picture: MessageScene = {
            "api": type(message.request).__name__.removesuffix("Request"),
            "isReply": message.is_reply,
            "sender": _number(message.sender),
            "receiver": _number(message.receiver),
            "startUs": self._timeline.now_us,
            "endUs": None,
            "isLost": False,
            "error": _error(message),
        }
        self.messages.append(picture)
        self._under_way[id(message)] = (message, picture)  # kept, so that the id stays its own
        return picture

    def _arrived(self, message: Message) -> None:
        known = self._under_way.pop(id(message), None)
        if known is not None:
            known[1]["endUs"] = self._timeline.now_us

    def _lost(self, message: Message) -> None:
        known = self._under_way.pop(id(message), None)
        if known is None and len(self.messages) >= MESSAGES_MAX:
            return
        picture = known[1] if known is not None else self._seen(message)
        picture["endUs"], picture["isLost"] = self._timeline.now_us, True


def _number(node: NodeId) -> int:
    return -1 if node.kind is Kind.OUTSIDE else node.number


def _error(message: Message) -> str:
    """Returns the name of the error in a reply; empty if there is none."""
    reply = message.reply
    code = getattr(reply, "code", getattr(reply, "error_code", 0))
    return getattr(code, "name", "") if code else ""


def film_of(play: Play, to_us: int) -> Film:
    """Advances the play to `to_us`, and returns what was to be seen on the way."""
    camera = Camera(play)
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
