"""The option --output of every verb that prints, and its short form --json."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Final

from . import help_texts

TEXT: Final = "text"
DATA: Final = ("json", "yaml")  # formats for programs

# An object; `scenario list` and `scenario mutants` print lists, on which programs rely.
Document = Mapping[str, object] | Sequence[Mapping[str, object]]


def add_output(verb: argparse.ArgumentParser) -> None:
    """Adds --output and --json to the parser of a verb."""
    verb.add_argument(
        "--output", choices=(*DATA, "wide"), default=TEXT, help=help_texts.OUTPUT, metavar="FORMAT"
    )
    verb.add_argument(
        "--json", action="store_const", const="json", dest="output", help="short for --output json"
    )


def is_data(arguments: argparse.Namespace) -> bool:
    """True if the user wants JSON or YAML instead of text."""
    return arguments.output in DATA


def print_data(arguments: argparse.Namespace, document: Document) -> None:
    """Prints a document as JSON or YAML."""
    if arguments.output == "json":
        print(json.dumps(document, indent=2), flush=True)
    else:
        print(_yaml(document), end="", flush=True)


def print_item(arguments: argparse.Namespace, item: Mapping[str, object]) -> None:
    """Prints an item of a stream: one line of JSON, or one document of a YAML stream."""
    if arguments.output == "json":
        print(json.dumps(item), flush=True)
    else:
        print(f"---\n{_yaml(item)}", end="", flush=True)


def hint_next(following: object) -> None:
    """Prints to stderr how to read the next page."""
    print(f"next page: the same command with --from {following}", file=sys.stderr)


def _yaml(document: Document) -> str:
    import yaml

    # Through JSON, so that YAML has the same types: no tuples, no enumerations.
    text: str = yaml.safe_dump(json.loads(json.dumps(document)), sort_keys=False)
    return text
