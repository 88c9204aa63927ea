"""Folds many chaos runs with a released Kafka, and prints what it refuses and what differs.

    python -m tests.kafka_fold --runs 10000 [--first-seed N] [--scenario FILE]

Exit code 1: there were findings. A finding names its seed: `--runs 1 --first-seed N` repeats it.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.kafka_fold.chaos import CHAOS, chaos, write
from tests.kafka_fold.kafka import kafka

PROGRESS_EVERY = 100
SHOWN_MAX = 20  # findings of one run


def main(arguments: Sequence[str]) -> int:
    """Runs the command, and returns its exit code."""
    options = _parser().parse_args(arguments)
    scenario = chaos(options.scenario)
    seeds = range(options.first_seed, options.first_seed + options.runs)
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="kraftsim-fold-") as folder,
        kafka(Path(folder)) as fold,
    ):
        runs = (write(scenario, seed) for seed in seeds)
        for count, (name, findings) in enumerate(fold.each(runs), 1):
            failed += bool(findings)
            for finding in findings[:SHOWN_MAX]:
                print(f"{name}: {finding}", flush=True)
            if count % PROGRESS_EVERY == 0:
                print(f"{count} of {options.runs} runs, {failed} with findings", file=sys.stderr)
    print(f"Kafka folded {options.runs} runs: {failed} with findings")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.kafka_fold")
    parser.add_argument("--runs", type=int, default=10_000, metavar="N", help="default: 10000")
    parser.add_argument("--first-seed", type=int, default=0, metavar="N", help="default: 0")
    parser.add_argument("--scenario", type=Path, default=CHAOS, metavar="FILE")
    return parser
