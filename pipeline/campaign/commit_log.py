"""The folder of a campaign: `plan.json`, a folder per table, and a commit per shard in `_shards/`.

The commit of a shard is written last. Files of a shard without a commit are left over from an
interrupted run, and readers ignore them. Files are renamed into place, so that no reader sees a
partial file.
"""

import hashlib
import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from uuid import uuid4

from .plan import Plan, PlanError

SLOWEST = 20  # runs in `Commit.slowest`, and in a report
PLAN, SHARDS, ASIDE = "plan.json", "_shards", "_aside"
CORPUS = "corpus.jsonl"  # of a hunt, in which nothing is a table


@dataclass(frozen=True, slots=True)
class Piece:
    """A shard's file of one table: its number of rows, its size in bytes and its checksum."""

    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The commit of a shard.

    `digest` combines the digests of its runs. `verdicts` counts the verdicts of judged runs,
    `planted` those of runs with a bug; `canaries` has the verdict of each canary. `attempt` counts
    from 0. Real times are here and not in the tables, because they differ between repetitions:
    `wall_s` is that of the shard, `slowest` has the microseconds of its slowest runs, by run id.
    `engine` ran the shard ("spark" or "local"); None in commits of former versions. `tested` and
    `sought` are those of `Exercise`, of judged runs; empty in commits of former versions.
    """

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
    slowest: Mapping[str, int] = field(default_factory=dict)
    engine: str | None = None
    tested: Mapping[str, int] = field(default_factory=dict)
    sought: Mapping[str, int] = field(default_factory=dict)


def part(table: str, shard: int) -> str:
    """Returns the path, within the folder, of the rows of a shard."""
    return f"{table}/part-{shard:06}.parquet"


class Folder:
    """The folder of one campaign."""

    def __init__(self, path: Path) -> None:
        self.path = path

    # The plan

    def begin(self, plan: Plan) -> None:
        """Creates the folder with its plan.

        Raises PlanError if the folder is not empty, because other files could be taken for tables.
        """
        if (self.path / PLAN).exists():
            raise PlanError(
                f"{self.path}: expected an empty folder, got one with a campaign, which `kraftsim "
                f"campaign resume {self.path}` continues"
            )
        if self.path.is_dir() and any(self.path.iterdir()):
            raise PlanError(f"{self.path}: expected an empty or a new folder, got one with files")
        try:
            (self.path / SHARDS).mkdir(parents=True, exist_ok=True)
            self._put(PLAN, plan.to_json().encode())
        except OSError as error:  # remove the folders, which would make the next attempt fail
            with suppress(OSError):
                (self.path / SHARDS).rmdir()
                self.path.rmdir()
            raise PlanError(f"{self.path}: cannot create the campaign: {error}") from None

    def plan(self) -> Plan:
        """Reads the plan; PlanError if there is none or it is invalid."""
        path = self.path / PLAN
        if not path.is_file() and (self.path / CORPUS).is_file():
            raise PlanError(
                f"{self.path}: expected a campaign with tables, got the folder of a hunt, which "
                f"has none: {CORPUS} has its plans, curve.jsonl its progress; `kraftsim campaign "
                "run` runs the files in findings as a campaign"
            )
        if not path.is_file():
            raise PlanError(f"{self.path} has no {PLAN}: expected the folder of a campaign")
        try:
            return Plan.from_json(path.read_text("utf-8"))
        except PlanError as error:
            raise PlanError(f"{path}: {error}") from None

    def expect_plan(self, plan: Plan) -> None:
        """Raises PlanError unless this machine sees the folder with `plan`.

        A worker that writes to another folder than the driver's would lose its shards.
        """
        path = self.path / PLAN
        if path.is_file() and (digest := self.plan().digest) == plan.digest:
            return
        found = f"plan {digest}" if path.is_file() else "no file"
        raise PlanError(
            f"{path}: expected plan {plan.digest} of this campaign, got {found} on "
            f"{socket.gethostname()}: all workers must see the folder of the campaign; give a "
            "shared folder, such as an NFS mount, as --out"
        )

    # Commits

    def commits(self) -> dict[int, Commit]:
        """Returns the commits of all finished shards.

        Raises PlanError if a commit is unreadable or belongs to another plan.
        """
        return self.commits_since({}, self.plan().digest)

    def commits_at_end(self) -> dict[int, Commit]:
        """Returns the commits of all finished shards, those of a moment ago on other machines too.

        A client of NFS lists a folder from a cache, which a change of its own to the folder ends.
        """
        with NamedTemporaryFile(dir=self.path / SHARDS, prefix=".", suffix=".tmp"):
            return self.commits()

    def commits_since(self, known: Mapping[int, Commit], plan_digest: str) -> dict[int, Commit]:
        """Returns all commits; reads only those that are not in `known`."""
        commits = dict(known)
        for path in self.commit_files():
            if int(path.stem) in known:
                continue
            commit = _read_commit(path)
            if commit.plan != plan_digest:
                raise PlanError(
                    f"{path}: expected plan {plan_digest}, as in {PLAN}, got {commit.plan}: {PLAN} "
                    "has "
                    "changed; restore it, or start another campaign"
                )
            commits[commit.shard] = commit
        return commits

    def commit(self, commit: Commit) -> None:
        """Writes the commit of a shard.

        Raises PlanError if the shard was committed before with another digest.
        """
        path = self.path / SHARDS / f"{commit.shard:06}.json"
        if path.exists() and (before := _read_commit(path)).digest != commit.digest:
            raise PlanError(
                f"shard {commit.shard}: expected digest {before.digest}, got {commit.digest}: its "
                "runs "
                "are not deterministic"
            )
        self._put(f"{SHARDS}/{path.name}", json.dumps(asdict(commit), indent=1).encode())

    def corrupt(self, commit: Commit) -> Iterator[str]:
        """Yields an error message for each file that is missing or differs from the commit."""
        for table, piece in commit.pieces.items():
            path = self.path / part(table, commit.shard)
            if (wrong := _wrong_size(path, piece)) is not None:
                yield wrong
            elif (sha256 := sum_of(path)) != piece.sha256:
                yield f"{path}: expected sha256 {piece.sha256[:12]}..., got {sha256[:12]}..."

    def damage(self, commits: Mapping[int, Commit]) -> Iterator[str]:
        """Yields an error message for each file of the commits that is missing or has another size.

        Reads no contents, so that it is cheap; `corrupt` also compares checksums.
        """
        for commit in commits.values():
            for table, piece in commit.pieces.items():
                wrong = _wrong_size(self.path / part(table, commit.shard), piece)
                if wrong is not None:
                    yield wrong

    def corruptions(self) -> Iterator[str]:
        """Yields the error messages of `corrupt` for every committed shard."""
        for commit in self.commits().values():
            yield from self.corrupt(commit)

    def set_corrupt_aside(self) -> list[int]:
        """Sets aside every shard with a corrupt file or an unreadable commit.

        Returns the numbers of these shards; the next `resume` runs them again.
        """
        aside = []
        for path in self.commit_files():
            try:
                is_sound = not any(self.corrupt(_read_commit(path)))
            except PlanError:
                is_sound = False
            if not is_sound:
                aside.append(int(path.stem))
                self.set_aside(aside[-1])
        return aside

    def set_aside(self, shard: int) -> None:
        """Moves the files of a shard out of the tables; they are kept for investigation."""
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
        """Yields a temporary path, which is renamed to `name` on success and removed on failure."""
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

    def commit_files(self) -> list[Path]:
        """Returns the files of the commits, in order of shard."""
        return sorted((self.path / SHARDS).glob("[0-9]*.json"))

    def leftovers(self) -> list[Path]:
        """Returns temporary files, and files of shards that are not committed."""
        done = {path.stem for path in self.commit_files()}
        parts = self.path.glob("*/part-*.parquet")
        lost = [path for path in parts if path.stem.removeprefix("part-") not in done]
        return sorted([*self.path.glob(".*.tmp"), *self.path.glob("*/.*.tmp"), *lost])

    def sweep(self) -> int:
        """Removes the leftovers and returns their number.

        Call it only while no process runs the campaign.
        """
        leftovers = self.leftovers()
        for path in leftovers:
            path.unlink(missing_ok=True)
        return len(leftovers)

    def _put(self, name: str, data: bytes) -> None:
        with self.new_file(name) as path:
            path.write_bytes(data)


def sum_of(path: Path) -> str:
    """Returns the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _wrong_size(path: Path, piece: Piece) -> str | None:
    """Returns an error message if the file is missing or has another size than committed."""
    if not path.is_file():
        return f"{path}: expected a file, got none"
    size = path.stat().st_size
    return None if size == piece.size else f"{path}: expected {piece.size} bytes, got {size}"


def _read_commit(path: Path) -> Commit:
    try:
        values = json.loads(path.read_text("utf-8"))
        values["pieces"] = {table: Piece(**item) for table, item in values["pieces"].items()}
        return Commit(**values)
    except (ValueError, KeyError, TypeError) as error:
        raise PlanError(
            f"{path}: expected the commit of a shard, got something else ({error}): move it aside "
            f"with `kraftsim campaign sweep {path.parent.parent}`, then `resume` runs the shard "
            "again"
        ) from None


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
