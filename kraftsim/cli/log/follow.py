"""`kraftsim follow`: prints the state changes of a log's brokers, or writes them as Parquet.

The verb checks that Spark and Java are installed before it starts a process.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from kraftsim.controller.core.camel_case import lower_camel

from ...errors import GOOD, CommandError, Unreachable, UsageError
from ...http.client import service_url
from .. import help_texts
from ..interrupts import interrupt_flag
from ..output import add_output, is_data, print_item
from ..spark_options import add_session, expect_master

if TYPE_CHECKING:
    from kraftsim.pipeline.live.log import KraftLogError


def add_follow(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `follow` to its parser."""
    parser.add_argument("--url", metavar="URL", help=help_texts.URL)
    parser.add_argument(
        "--path",
        metavar="P",
        help="read a metadata log on disk instead of --url: its directory, kraftsim's or Kafka's",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        help="write the changes as Parquet into this folder instead of printing them",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="C",
        help="folder in which Spark stores the offset it has reached (default: in --out)",
    )
    parser.add_argument("--once", action="store_true", help="exit at the current end of the log")
    add_session(parser)
    add_output(parser)
    parser.set_defaults(run=run_follow)


def run_follow(arguments: argparse.Namespace) -> int:
    """Follows the log to its end and returns the exit code; KeyboardInterrupt at Ctrl-C."""
    source = _source(arguments)
    expect_master(arguments.master)
    try:
        from kraftsim.pipeline.engines.background import in_background
        from kraftsim.pipeline.engines.java import require_java
        from kraftsim.pipeline.engines.session import session
        from kraftsim.pipeline.live import follow
        from kraftsim.pipeline.live.log import KraftLogError
        from kraftsim.pipeline.live.options import options_of
        from kraftsim.pipeline.package import code_on_workers
    except ModuleNotFoundError as error:
        raise CommandError(f"follow needs {error.name}: pip install 'kraftsim[spark]'") from None
    require_java()
    try:
        options_of(source).log.extent()  # reports a wrong address before Java starts
        conf = follow.CONF | dict(arguments.conf)
        print(f"starting Spark to follow {' '.join(source.values())}", file=sys.stderr)
        starting = partial(session, "kraftsim follow", master=arguments.master, conf=conf)
        with _stderr_redirected():
            spark = in_background(starting, owns_children=True)
        on_change = partial(_print_data, arguments) if is_data(arguments) else _print_change
        with interrupt_flag() as stop, code_on_workers(spark):
            query = follow.start(
                spark,
                source,
                checkpoint=arguments.checkpoint,
                out=arguments.out,
                on_change=on_change,
                once=arguments.once,
            )
            follow.run(query, stop)
    except KraftLogError as error:
        raise _command_error(error) from None
    if stop.is_set():
        raise KeyboardInterrupt
    return GOOD


def _command_error(error: "KraftLogError") -> CommandError:
    """Returns the error with the exit code of its cause."""
    from kraftsim.pipeline.live.log import NoAnswer, NoLog

    if isinstance(error, NoAnswer):
        return Unreachable(str(error))
    if isinstance(error, NoLog):
        return UsageError(str(error))
    return CommandError(str(error))


def _source(arguments: argparse.Namespace) -> dict[str, str]:
    if arguments.path is None:
        return {"url": service_url(arguments.url)}
    if arguments.url is not None:
        raise UsageError(
            f"expected --url or --path, got both:  {arguments.url} and {arguments.path}"
        )
    return {"path": arguments.path}


@contextmanager
def _stderr_redirected() -> Iterator[None]:
    """Redirects stderr to a temporary file while Java and its Python workers start.

    Both write to stderr at every start; their errors are raised as exceptions anyway. A process
    that is started inside the block writes to the file for as long as it runs.
    """
    with tempfile.TemporaryFile() as apart:
        ours = os.dup(2)
        os.dup2(apart.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(ours, 2)
            os.close(ours)


def _print_data(arguments: argparse.Namespace, change: Mapping[str, object]) -> None:
    shown = (
        (name, _iso(item) if isinstance(item, datetime) else item) for name, item in change.items()
    )
    print_item(arguments, {lower_camel(name): item for name, item in shown})


def _iso(value: object) -> str:
    """Formats a time in UTC; Spark returns times in the local time zone."""
    assert isinstance(value, datetime), value
    return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def _print_change(change: Mapping[str, object]) -> None:
    before = change["state_before"] or "unknown"
    line = (
        f"{_iso(change['ts'])}  offset {change['offset']:<8} broker {change['broker_id']:<5} "
        f"{before} -> {change['state']}"
    )
    lease_ms, known_ms, unfenced_ms = (
        change[name] for name in ("lease_ms", "known_ms", "unfenced_ms")
    )
    if isinstance(lease_ms, int):
        line += f", lease {change['lease_end']} after {lease_ms / 1000:.1f} s"
    if isinstance(known_ms, int) and isinstance(unfenced_ms, int) and known_ms:
        line += f", unfenced {unfenced_ms / known_ms:.1%} of {known_ms / 1000:.1f} s"
    print(line, flush=True)
