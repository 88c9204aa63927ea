"""A released controller and ours, started alike, with an empty log each."""

import tempfile
from collections.abc import Callable, Iterator, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import ClassVar

from kraftsim.controller.core import feature_levels
from kraftsim.controller.core.uuid import parse_uuid
from tests.differential.decoder import differing_records, differing_records_of
from tests.differential.judge import Bench, Witness
from tests.differential.policies import with_policies
from tests.differential.settings import NO_OPTIONS, USUAL, USUAL_SESSION_MS, Options, Start
from tests.differential.sides import OurSide, ReleasedSide
from tests.released.controller import NODE_ID, released_controller
from tests.released.releases import Release

CLUSTER_ID = "differentialJudgeTestA"
MEMORY = Path("/dev/shm")  # where it exists: each append of a released controller is flushed
ROUNDS_MAX = 5_000  # round trips until the released controller has registered itself


@dataclass(slots=True)
class Pair:
    """`agreed` are the ends of both logs, Kafka's and ours, up to which all was alike.

    A pair that `outlives_differences` judges on after one.
    """

    outlives_differences: ClassVar[bool] = False
    bench: Bench
    folder: Path
    make_ours: Callable[[], OurSide]
    agreed: tuple[int, int] = field(default=(0, 0))

    @property
    def ends(self) -> tuple[int, int]:
        return self.bench.kafka.history.end_offset, self.bench.ours.history.end_offset

    @property
    def has_parted(self) -> bool:
        """True once the leader epochs of the two sides differ, though they answered alike."""
        return self.bench.kafka.has_resigned

    def renew(self) -> None:
        """Begin anew with ours, beside a released controller that was cleaned up."""
        self.bench = Bench(Witness(self.bench.kafka.side), Witness(self.make_ours()))

    def logs_differ(self) -> list[str]:
        """Compare what both logs agreed upon once more, whole, as Kafka's own tool decodes them."""
        return differing_records(self.bench, self.folder, self.agreed)

    def silent_logs_differ(self, numbers: Set[int]) -> list[str]:
        """Compare the records of silent sequences, given by their numbers, in the same way."""
        return differing_records_of(self.bench, self.folder, self.ends, numbers)


@contextmanager
def started_pair(
    release: Release,
    start: Start = USUAL,
    *,
    session_timeout_ms: int = USUAL_SESSION_MS,
    options: Options = NO_OPTIONS,
) -> Iterator[Pair]:
    with _folder() as folder, _started(release, folder, start, session_timeout_ms, options) as pair:
        yield pair


@contextmanager
def _folder() -> Iterator[Path]:
    place = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kraftsim-judge-", dir=place) as name:
        yield Path(name)


@contextmanager
def _started(
    release: Release, folder: Path, start: Start, session_timeout_ms: int, options: Options
) -> Iterator[Pair]:
    if start.has_policies:
        options = with_policies(release, folder / "policies", options.settings)
    with released_controller(
        release,
        folder,
        cluster_id=CLUSTER_ID,
        has_dynamic_voters=start.has_dynamic_voters,
        metadata_version=start.metadata_version,
        settings=options.released(session_timeout_ms),
        classes=options.classes,
    ) as controller:
        released = ReleasedSide(controller, start)
        released.await_commit()
        make_ours = partial(
            OurSide,
            release.profile,
            cluster_id=CLUSTER_ID,
            port=controller.port,
            directory_id=parse_uuid(controller.directory_id),
            start=start,
            session_timeout_ms=session_timeout_ms,
            options=options,
        )
        ours, kafka = Witness(make_ours()), Witness(released)
        level = start.level or release.profile.metadata_version
        if level >= feature_levels.CONTROLLER_REGISTRATION_FROM:
            _await_registration(kafka)
        pair = Pair(Bench(kafka, ours), folder, make_ours)
        if pair.ends[0] != pair.ends[1]:
            begun = [witness.spelled(witness.start) for witness in (kafka, ours)]
            raise RuntimeError(f"the logs differ at the start: Kafka {begun[0]}, ours {begun[1]}")
        pair.agreed = pair.ends
        try:
            yield pair
        finally:
            released.close()


StartPair = Callable[..., AbstractContextManager[Pair]]


def _await_registration(kafka: Witness[ReleasedSide]) -> None:
    """Ours registers itself in its first step, a released controller some time after its start."""
    for _ in range(ROUNDS_MAX):
        if NODE_ID in kafka.history.controllers:
            return
        kafka.side.round_trip()
        kafka.history.follow(kafka.side.appended())
    raise RuntimeError("expected the released controller to register itself")
