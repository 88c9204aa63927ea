"""`kraftsim storage ...`: ids as Kafka's `kafka-storage` makes them."""

import argparse

from ..errors import GOOD
from .output import add_output, is_data, print_data


def add_storage(storage: argparse.ArgumentParser) -> None:
    """Adds the verbs of `storage` to its parser."""
    verbs = storage.add_subparsers(metavar="VERB")
    uuid = verbs.add_parser("random-uuid", help="print a random id for a cluster or a directory")
    add_output(uuid)
    uuid.set_defaults(run=_random_uuid)


def _random_uuid(arguments: argparse.Namespace) -> int:
    from random import SystemRandom

    from kraftsim.controller.core.uuid import random_uuid, uuid_text

    text = uuid_text(random_uuid(SystemRandom().random))
    if is_data(arguments):
        print_data(arguments, {"id": text})
    else:
        print(text)
    return GOOD
