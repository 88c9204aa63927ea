"""The options --master, --remote and --conf of verbs that use Spark."""

import argparse
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import CommandError, UsageError
from . import help_texts

if TYPE_CHECKING:
    from kraftsim.pipeline.engines.session import SparkTarget


# The masters that Spark accepts; Spark itself reports an invalid one in a hundred lines.
MASTER = re.compile(
    r"local(\[(\*|[1-9]\d*)(, *[1-9]\d*)?\])?|spark://[^,:/]+:\d+(,.+)?|k8s://.+|yarn"
)

REMOTE = re.compile(r"sc://[^:/]+(:\d+)?(/.*)?")


def add_spark(verb: argparse.ArgumentParser) -> None:
    """Adds --master, --remote and --conf to a verb."""
    add_session(verb)
    verb.add_argument(
        "--remote", metavar="R", help="Spark Connect server, instead of --master: sc://HOST:PORT"
    )


def add_session(verb: argparse.ArgumentParser) -> None:
    """Adds --master and --conf, the options of a Spark session, to a verb."""
    verb.add_argument(
        "--master",
        metavar="M",
        help="Spark master: local[2,4], spark://HOST:PORT (default: SPARK_MASTER, else local[*,4])",
    )
    verb.add_argument(
        "--conf",
        action="append",
        default=[],
        type=setting,
        metavar="K=V",
        help=help_texts.SPARK_CONF,
    )


def spark_target_of(arguments: argparse.Namespace) -> "SparkTarget":
    """Returns the master or Connect server that the options choose.

    Raises UsageError for both --master and --remote or an invalid address, CommandError if no
    server listens at the address.
    """
    expect_installed("pyarrow", "pyspark", "pandas")
    from kraftsim.pipeline.campaign.campaign import EngineError
    from kraftsim.pipeline.engines.session import SparkTarget
    from kraftsim.pipeline.engines.spark_engine import expect_listening

    if arguments.master and arguments.remote:
        raise UsageError("expected --master or --remote, got both")
    expect_master(arguments.master)
    if arguments.remote and not REMOTE.fullmatch(arguments.remote):
        raise UsageError(
            f"--remote: expected sc://HOST:PORT of a Connect server, got {arguments.remote}"
        )
    try:
        expect_listening(arguments.master, arguments.remote)
    except EngineError as error:
        raise CommandError(str(error)) from None
    return SparkTarget(arguments.master, arguments.remote, dict(arguments.conf))


def expect_master(master: str | None) -> None:
    """Raises UsageError if --master is an address that Spark does not accept."""
    if master and not MASTER.fullmatch(master):
        raise UsageError(f"--master: expected local[2,4] or spark://HOST:PORT, got {master}")


def expect_installed(*modules: str) -> None:
    """Raises CommandError, with the pip command, if a module is missing; imports no module."""
    for module in modules:
        if find_spec(module) is None:
            raise CommandError(f"campaigns need {module}: pip install 'kraftsim[spark]'")


def setting(text: str) -> tuple[str, str]:
    """Parses KEY=VALUE for argparse."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got {text!r}")
    return key, value
