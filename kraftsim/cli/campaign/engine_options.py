"""The options --engine and --workers of verbs that run shards."""

import argparse
import os
from typing import TYPE_CHECKING

from ...errors import UsageError
from ..spark_options import add_spark, expect_installed, spark_target_of
from .allowed_code import let_nodes_run

if TYPE_CHECKING:
    from kraftsim.pipeline.campaign.campaign import Engine

ENGINES = ("spark", "local")


def add_engine(verb: argparse.ArgumentParser) -> None:
    """Adds --engine, --workers and the options of Spark to a verb."""
    verb.add_argument(
        "--engine",
        choices=ENGINES,
        default="spark",
        help=(
            "program that runs the shards: Spark, or local processes without a JVM (default spark)"
        ),
    )
    verb.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="number of processes of --engine local (default: one per CPU)",
    )
    add_spark(verb)


def engine_of(arguments: argparse.Namespace) -> "Engine":
    """Returns the engine that the arguments choose; UsageError if the arguments contradict it."""
    from functools import partial

    from kraftsim.pipeline.campaign.campaign import Engine

    if arguments.engine == "local":
        expect_installed("pyarrow")
        from kraftsim.pipeline.engines import local_engine

        if arguments.master or arguments.remote or arguments.conf:
            raise UsageError(
                "--engine local: expected no --master, --remote or --conf, which are options of "
                "Spark"
            )
        if arguments.workers is not None and arguments.workers < 1:
            raise UsageError(f"--workers: expected 1 or more, got {arguments.workers}")
        workers = arguments.workers or os.cpu_count() or 1
        return Engine(
            partial(local_engine.run_shards, workers=workers, host=let_nodes_run),
            partial(local_engine.repeat_runs, workers=workers, host=let_nodes_run),
        )
    if arguments.workers is not None:
        raise UsageError(
            "--workers: expected --engine local with it; Spark takes --master 'local[N,4]' instead"
        )
    target = spark_target_of(arguments)
    from kraftsim.pipeline.engines.java import require_java
    from kraftsim.pipeline.engines.spark_engine import repeat_runs, run_shards

    if not target.remote:
        require_java()
    return Engine(partial(run_shards, target=target), partial(repeat_runs, target=target))
