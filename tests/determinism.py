"""`make determinism`: ten thousand runs, each in two processes with other hash seeds: one digest?

`python -m tests.determinism [RUNS]`. What was compared is noted outside of the tree, by what the
sources say, so that it goes on where it was interrupted. Exit code 1: some digests differ.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, islice
from pathlib import Path
from queue import SimpleQueue

from kraftsim.files.scenario_files import library, read_file
from tests.other_pythons import CACHE, ROOT

RUNS = 10_000
TELL_EVERY = 100
HASH_SEEDS = ("0", "random")
SOURCES = ("controller", "broker_agent", "simulation", "scenarios")  # what decides a run
Job = tuple[str, int]


def jobs() -> Iterator[Job]:
    """One seed of every scenario that is cheap enough, then the next one."""
    cheap = [name for name, path in library().items() if not read_file(path).scenario.smoke]
    return ((name, seed) for seed in count(1) for name in cheap)


def notes() -> Path:
    """Of this very state of the sources."""
    sources = (path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*.py")))
    whole = hashlib.sha256()
    for source in (*sources, *library().values()):
        whole.update(source.read_bytes())
    return CACHE / f"determinism-{whole.hexdigest()[:16]}.txt"


class Pair:
    """Two processes that run the same; the names of hashes fall otherwise in each."""

    def __init__(self) -> None:
        self._processes = [
            subprocess.Popen(
                [sys.executable, "-m", "tests.scenarios.digests"],
                env=os.environ | {"PYTHONHASHSEED": hash_seed},
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for hash_seed in HASH_SEEDS
        ]

    def digests(self, job: Job) -> set[str]:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write(f"{job[0]} {job[1]} off\n")
            process.stdin.flush()
        return {self._answer(process, job) for process in self._processes}

    @staticmethod
    def _answer(process: "subprocess.Popen[str]", job: Job) -> str:
        assert process.stdout is not None
        answer = process.stdout.readline().strip()
        if not answer:
            raise RuntimeError(f"{job[0]}, seed {job[1]}: the run came to no end")
        return answer

    def end(self) -> None:
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def compare(wanted: int) -> int:
    """How many of the first `wanted` jobs differ."""
    path = notes()
    path.parent.mkdir(parents=True, exist_ok=True)
    known = dict(line.rsplit(" ", 1) for line in _whole_lines(path))
    left = [job for job in islice(jobs(), wanted) if f"{job[0]} {job[1]}" not in known]
    differ = [key for key, verdict in known.items() if verdict == "differs"]
    print(f"{wanted - len(left)} of {wanted} are known; noted in {path.name}", flush=True)
    began_s, done = time.monotonic(), wanted - len(left)
    with path.open("a", encoding="utf-8") as out:
        for job, digests in _compared(left):
            key, is_one = f"{job[0]} {job[1]}", len(digests) == 1
            out.write(f"{key} {'same' if is_one else 'differs'}\n")
            out.flush()
            done += 1
            if not is_one:
                differ.append(key)
                print(f"DIFFERS: {key}: {sorted(digests)}", flush=True)
            if done % TELL_EVERY == 0:
                took_s = time.monotonic() - began_s
                print(f"{done} of {wanted}, {len(differ)} differ, {took_s:.0f} s", flush=True)
    print(f"{done} runs in two processes each: {len(differ)} differ")
    return len(differ)


def _whole_lines(path: Path) -> list[str]:
    """One that was cut short when its writer was killed is run again."""
    text = path.read_text("utf-8") if path.exists() else ""
    return [line for line in text.splitlines() if line.count(" ") == 2]


def _compared(left: list[Job]) -> Iterator[tuple[Job, set[str]]]:
    """In any order, by as many pairs as there are processors for them."""
    pairs: SimpleQueue[Pair] = SimpleQueue()
    size = max(1, (os.cpu_count() or 1) // len(HASH_SEEDS))

    def compared(job: Job) -> tuple[Job, set[str]]:
        pair = pairs.get()
        try:
            return job, pair.digests(job)
        finally:
            pairs.put(pair)

    every = [Pair() for _ in range(size)]
    for pair in every:
        pairs.put(pair)
    with ThreadPoolExecutor(size) as threads:
        yield from threads.map(compared, left)
    for pair in every:
        pair.end()


if __name__ == "__main__":
    try:
        sys.exit(1 if compare(int(sys.argv[1]) if sys.argv[1:] else RUNS) else 0)
    except KeyboardInterrupt:
        sys.exit(130)
