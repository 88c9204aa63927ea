"""The options that choose the Spark of a verb: master, Connect server, settings."""

import argparse
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..errors import CommandError, UsageError
from . import help_texts

if TYPE_CHECKING:
    from kraftsim.pipeline.engines.on_spark import Where


# The masters that Spark accepts; Spark itself reports an invalid one in a hundred lines.
MASTER = re.compile(
    r"local(\[(\*|[1-9]\d*)(, *[1-9]\d*)?\])?|spark://[^,:/]+:\d+(,.+)?|k8s://.+|yarn"
)


def add_spark(verb: argparse.ArgumentParser) -> None:
    """Adds the options to a verb."""
    verb.add_argument(
        "--master",
        metavar="M",
        help="Spark master: local[2,4], spark://HOST:PORT (default: SPARK_MASTER, else local[*,4])",
    )
    verb.add_argument(
        "--remote", metavar="R", help="Spark Connect server, instead of --master: sc://HOST:PORT"
    )
    verb.add_argument(
        "--conf",
        action="append",
        default=[],
        type=setting,
        metavar="K=V",
        help=help_texts.SPARK_CONF,
    )


def where_of(given: argparse.Namespace) -> "Where":
    """Returns the Spark that the options choose.

    Raises UsageError for both --master and --remote or an invalid master, CommandError if no server
    listens at the address.
    """
    expect_installed("pyarrow", "pyspark", "pandas")
    from kraftsim.pipeline.campaign.campaign import EngineError
    from kraftsim.pipeline.engines.on_spark import Where
    from kraftsim.pipeline.engines.spark_engine import expect_there

    if given.master and given.remote:
        raise UsageError("expected --master or --remote, got both")
    if given.master and not MASTER.fullmatch(given.master):
        raise UsageError(f"--master: expected local[2,4] or spark://HOST:PORT, got {given.master}")
    try:
        expect_there(given.master, given.remote)
    except EngineError as error:
        raise CommandError(str(error)) from None
    return Where(given.master, given.remote, dict(given.conf))


def expect_installed(*modules: str) -> None:
    """Raises CommandError, with the pip command, if a module is missing; imports none of them."""
    for module in modules:
        if find_spec(module) is None:
            raise CommandError(f"campaigns need {module}: pip install 'kraftsim[spark]'")


def setting(text: str) -> tuple[str, str]:
    """Parses KEY=VALUE for argparse."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got {text!r}")
    return key, value
