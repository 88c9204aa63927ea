"""One run under chaos, and what its controllers wrote: the committed log, snapshots, images."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.snapshot_batches import snapshot_batches
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.record_versions import record_version
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.controller.wire.records.record_batch import encode_batch
from kraftsim.controller.wire.records.snapshot_file import encode_snapshot
from kraftsim.files.scenario_files import read_file
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.running.run import Run
from tests.kafka_fold.administrator import Administrator
from tests.released.releases import RELEASES

CHAOS = Path(__file__).with_name("chaos.yaml")
RELEASE = RELEASES["4.3.1"]
CONTROLLERS = (1, 3, 3, 3, 5)
METADATA_VERSIONS = (None, None, None, *map(level_of, ("3.3-IV3", "3.6-IV2", "3.9-IV0", "4.0-IV2")))
REQUEST_EVERY_US = 200_000  # mean time between two requests of the administrator


@dataclass(frozen=True, slots=True)
class State:
    """A snapshot that a run wrote, or the image of a controller in the bytes of one.

    `end_offset` is the offset after its last record, `epoch` the epoch of that record.
    """

    name: str
    end_offset: int
    epoch: int
    data: bytes
    is_snapshot: bool


@dataclass(slots=True)
class Written:
    """What the controllers of a run wrote: the committed log from its first batch, and states."""

    name: str
    log: list[Batch] = field(default_factory=list)
    states: dict[bytes, State] = field(default_factory=dict)

    def follow(self, node_id: int, batch: Batch) -> None:
        """Takes a batch that a controller reports as committed; others may report it again."""
        if batch.base_offset == (self.log[-1].last_offset + 1 if self.log else 0):
            self.log.append(batch)

    def on_step(self, node: Node, turn: Turn) -> None:
        """Takes a snapshot that a controller wrote, or got from the leader."""
        snapshot = turn.snapshot
        if snapshot is not None:
            name = f"snapshot of {node.config.node_id} at {snapshot.snapshot_id.end_offset}"
            data = encode_snapshot(snapshot.batches)
            self._put(State(name, *_end_of(snapshot), data, is_snapshot=True))

    def take_image(self, node_id: int, image: Image) -> None:
        """Takes the committed image of a controller."""
        end_offset = image.offset + 1
        data = encode_snapshot(list(_batches_of(image)))
        name = f"image of {node_id} at {end_offset}"
        self._put(State(name, end_offset, image.epoch, data, is_snapshot=False))

    def _put(self, state: State) -> None:
        self.states.setdefault(state.data, state)  # followers get the bytes of the leader

    @property
    def log_bytes(self) -> bytes:
        """The log in Kafka's format."""
        return b"".join(map(encode_batch, self.log))


def _end_of(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.snapshot_id.end_offset, snapshot.snapshot_id.epoch


def _batches_of(image: Image) -> Iterator[Batch]:
    """Yields the batches of a snapshot of the image, without times and voters."""
    level = image.metadata_version
    return snapshot_batches(
        ((record, record_version(record, level)) for record in records_of(image)),
        epoch=image.epoch,
        timestamp_ms=0,
        last_contained_log_timestamp=0,
    )


def chaos(path: Path = CHAOS) -> Scenario:
    """Returns a scenario whose runs are folded, in the release that folds."""
    return replace(read_file(path).scenario, profile=RELEASE.profile_name)


def shaped(scenario: Scenario, seed: int) -> Scenario:
    """Returns the scenario with another number of controllers and another metadata.version."""
    random = Random(f"shape/{seed}")
    cluster = replace(
        scenario.cluster,
        controllers=random.choice(CONTROLLERS),
        metadata_version=random.choice(METADATA_VERSIONS),
    )
    return replace(scenario, cluster=cluster)


def write(scenario: Scenario, seed: int) -> Written:
    """Lives one run, in which an administrator sends random requests, and keeps what it wrote."""
    run = Run(shaped(scenario, seed), seed, ())
    written = Written(f"{scenario.name}, seed {seed}")
    run.world.committed_listeners.append(written.follow)
    run.world.step_listeners.append(written.on_step)
    administrator = Administrator(run.world, seed)
    run.begin()
    run.begin_steps()
    _administer(run, administrator, Random(f"requests/{seed}"))
    run.begin_calm()
    run.move(run.plan.time.calm.us)
    for node_id, process in run.world.controllers.items():
        if process.is_running:
            written.take_image(node_id, process.node.committed)
    return written


def _administer(run: Run, administrator: Administrator, random: Random) -> None:
    """Moves through the time of the faults, and sends a request now and then."""
    timeline = run.world.timeline
    end_us = timeline.now_us + run.plan.time.run.us
    while timeline.now_us < end_us:
        pause_us = int(random.expovariate(1 / REQUEST_EVERY_US))
        run.run_until(min(timeline.now_us + pause_us, end_us))
        administrator.act()
