"""Where Spark runs, as a user says it; the same words for every verb that asks it."""

import argparse
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .errors import CommandError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def add_spark(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--master", metavar="M", help="of Spark: local[2,4], spark://HOST:PORT")
    verb.add_argument("--remote", metavar="R", help="a Connect server: sc://HOST:PORT")
    verb.add_argument(
        "--conf", action="append", default=[], type=setting, metavar="K=V", help="of Spark"
    )


def spark_of(given: argparse.Namespace) -> "SparkSession":
    """For queries; UsageError where it could not be."""
    expect_installed("pyarrow", "pyspark", "pandas")
    from kraftsim.pipeline.session import session

    conf = dict(given.conf)
    try:
        return session(
            "kraftsim campaign", master=given.master, remote=given.remote, conf=conf, heavy=True
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


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
