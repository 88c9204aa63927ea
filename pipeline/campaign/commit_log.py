"""The folder of a campaign: `plan.json`, a folder for each table, and `_shards/`, one commit each.

A shard's files are there once its commit is, which is written last; whatever else lies around is
of shards that were interrupted. Files come into place by a rename, so that nobody ever reads half
of one.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import uuid4

from .plan import Plan, PlanError

PLAN, SHARDS, ASIDE, LOCK = "plan.json", "_shards", "_aside", ".lock"


@dataclass(frozen=True, slots=True)
class Piece:
    """What a shard has put into one table."""

    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """`digest` sums the digests of its runs; `attempt` counts from 0; `wall_s` differs from time to
    time. `verdicts` counts those of the runs that are judged, `planted` those of runs with a bug;
    `canaries` has a verdict each."""

    shard: int
    plan: str
    digest: str
    runs: int
    verdicts: Mapping[str, int]
    planted: Mapping[str, int]
    canaries: Mapping[str, str]
    wall_s: float
    attempt: int
    pieces: Mapping[str, Piece] = field(default_factory=dict)


def part(table: str, shard: int) -> str:
    """Where the rows of a shard are, within the folder."""
    return f"{table}/part-{shard:06}.parquet"


class Folder:
    """One campaign on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # The plan

    def begin(self, plan: Plan) -> None:
        """PlanError if there is a campaign already, or anything else: files of others would be
        taken for ours."""
        if (self.path / PLAN).exists():
            raise PlanError(
                f"{self.path} has a campaign: `kraftsim campaign resume {self.path}` goes on with "
                "it; expected an empty folder for another one"
            )
        if self.path.is_dir() and any(self.path.iterdir()):
            raise PlanError(f"{self.path} is not empty: expected an empty folder, or none yet")
        try:
            (self.path / SHARDS).mkdir(parents=True, exist_ok=True)
            self._put(PLAN, plan.to_json().encode())
        except OSError as error:  # nothing of ours stays, or the next try would find it
            with suppress(OSError):
                (self.path / SHARDS).rmdir()
                self.path.rmdir()
            raise PlanError(f"{self.path} cannot be begun: {error}") from None

    def plan(self) -> Plan:
        path = self.path / PLAN
        if not path.is_file():
            raise PlanError(f"{self.path} has no {PLAN}: expected the folder of a campaign")
        try:
            return Plan.from_json(path.read_text("utf-8"))
        except PlanError as error:
            raise PlanError(f"{path}: {error}") from None

    # Commits

    def commits(self) -> dict[int, Commit]:
        """Of every shard that is done. PlanError for one of another plan, or one that nobody can
        read."""
        return self.commits_since({}, self.plan().digest)

    def commits_since(self, known: Mapping[int, Commit], plan_digest: str) -> dict[int, Commit]:
        """Those that are `known`, and what has come since: for who asks time and again."""
        found = dict(known)
        for path in sorted((self.path / SHARDS).glob("[0-9]*.json")):
            if int(path.stem) in known:
                continue
            commit = _read_commit(path)
            if commit.plan != plan_digest:
                raise PlanError(
                    f"{path} was made by plan {commit.plan}, and {PLAN} is {plan_digest}: it has "
                    "been changed since; put the old one back, or begin another campaign"
                )
            found[commit.shard] = commit
        return found

    def commit(self, commit: Commit) -> None:
        """The shard is done. A shard that was done before has to have had the same digest."""
        path = self.path / SHARDS / f"{commit.shard:06}.json"
        if path.exists() and (before := _read_commit(path)).digest != commit.digest:
            raise PlanError(
                f"shard {commit.shard} was {before.digest} and is {commit.digest} now: its runs "
                "are not the same from time to time"
            )
        self._put(f"{SHARDS}/{path.name}", json.dumps(asdict(commit), indent=1).encode())

    def corrupt(self, commit: Commit) -> Iterator[str]:
        """What is wrong with the files of a shard, each in a sentence."""
        for table, piece in commit.pieces.items():
            path = self.path / part(table, commit.shard)
            if not path.is_file():
                yield f"{path} is gone"
            elif (size := path.stat().st_size) != piece.size:
                yield f"{path}: expected {piece.size} bytes, got {size}"
            elif (sha256 := sum_of(path)) != piece.sha256:
                yield f"{path}: expected sha256 {piece.sha256[:12]}..., got {sha256[:12]}..."

    def corruptions(self) -> Iterator[str]:
        """What is wrong with the files of all shards."""
        for commit in self.commits().values():
            yield from self.corrupt(commit)

    def set_corrupt_aside(self) -> list[int]:
        """Shards whose files are not what was committed, and commits that nobody can read: they
        are to be run again."""
        aside = []
        for path in sorted((self.path / SHARDS).glob("[0-9]*.json")):
            try:
                is_sound = not any(self.corrupt(_read_commit(path)))
            except PlanError:
                is_sound = False
            if not is_sound:
                aside.append(int(path.stem))
                self.set_aside(aside[-1])
        return aside

    def set_aside(self, shard: int) -> None:
        """Its files are not read any more, and kept for whoever wants to know what befell them."""
        name = f"{shard:06}"
        aside = self.path / ASIDE / name
        aside.mkdir(parents=True, exist_ok=True)
        for path in (
            self.path / SHARDS / f"{name}.json",
            *self.path.glob(f"*/part-{name}.parquet"),
        ):
            path.replace(aside / f"{path.parent.name}-{path.name}")

    # Files

    @contextmanager
    def new_file(self, name: str) -> Iterator[Path]:
        """A path to write to; it has its `name` when this ends well, and is gone when it does
        not."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        path = target.with_name(f".{target.name}.{uuid4().hex}.tmp")
        try:
            yield path
            _sync(path)
            path.replace(target)
            _sync(target.parent)
        except OSError as error:
            if error.filename is not None:
                raise
            raise OSError(error.errno, error.strerror or str(error), str(target)) from error
        finally:
            path.unlink(missing_ok=True)

    def leftovers(self) -> list[Path]:
        """Files of shards that were interrupted, and of shards that were never committed."""
        done = {path.stem for path in (self.path / SHARDS).glob("[0-9]*.json")}
        parts = self.path.glob("*/part-*.parquet")
        lost = [one for one in parts if one.stem.removeprefix("part-") not in done]
        return sorted([*self.path.glob(".*.tmp"), *self.path.glob("*/.*.tmp"), *lost])

    def sweep(self) -> int:
        """How many leftovers there were; call it while nobody runs it."""
        found = self.leftovers()
        for path in found:
            path.unlink(missing_ok=True)
        return len(found)

    def _put(self, name: str, data: bytes) -> None:
        with self.new_file(name) as path:
            path.write_bytes(data)


def sum_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_commit(path: Path) -> Commit:
    try:
        words = json.loads(path.read_text("utf-8"))
        words["pieces"] = {table: Piece(**one) for table, one in words["pieces"].items()}
        return Commit(**words)
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(
            f"{path}: expected the commit of a shard, got something else ({error}); "
            f"`kraftsim campaign sweep {path.parent.parent}` sets it aside, and `resume` runs that "
            "shard again"
        ) from None


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
