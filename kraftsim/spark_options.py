"""Where Spark runs, as a user says it; the same words for every verb that asks it."""

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .errors import CommandError, UsageError

if TYPE_CHECKING:
    from kraftsim.pipeline.on_spark import Where


def add_spark(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--master", metavar="M", help="of Spark: local[2,4], spark://HOST:PORT")
    verb.add_argument("--remote", metavar="R", help="a Connect server: sc://HOST:PORT")
    verb.add_argument(
        "--conf", action="append", default=[], type=setting, metavar="K=V", help="of Spark"
    )


def where_of(given: argparse.Namespace) -> "Where":
    """UsageError for two places."""
    expect_installed("pyarrow", "pyspark", "pandas")
    from kraftsim.pipeline.on_spark import Where

    if given.master and given.remote:
        raise UsageError("expected one of --master and --remote, got both")
    return Where(given.master, given.remote, dict(given.conf))


def expect_installed(*modules: str) -> None:
    """CommandError names what brings them; nothing of theirs is imported."""
    for module in modules:
        if find_spec(module) is None:
            raise CommandError(f"campaigns need {module}: pip install 'kraftsim[spark]'")


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got {text!r}")
    return key, value
