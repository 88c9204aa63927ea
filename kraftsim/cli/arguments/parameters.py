"""The arguments of an operation on the command line, from its parameters."""

import argparse

from ...operations.operation import Operation, Parameter
from .forms import FORMS, Form, document

WAIT = "60s"  # of --wait without a duration
# What stands for the value of an option in help texts; otherwise the option's name in capitals.
METAVARS = {
    "from_": "START",
    "hits": "N",
    "limit": "N",
    "partition": "N",
    "partitions": "N",
    "replication_factor": "N",
    "timeout": "DURATION",
    "to": "ID",
}


def add_argument(
    parser: argparse.ArgumentParser, operation: Operation, parameter: Parameter
) -> None:
    """Adds the argument of a parameter: an argument for a part of the path, else an option."""
    if parameter.name in operation.path_names:
        parser.add_argument(
            parameter.name, type=parameter.kind, metavar=parameter.name.upper(), help=parameter.help
        )
        return
    if (form := FORMS.get(parameter.name)) is not None:
        _add_form(parser, parameter, form)
        return
    if parameter.kind is dict:
        metavar, text = parameter.name.upper(), f"{parameter.help}; or @FILE"
        name = parameter.name if parameter.is_required else f"--{parameter.name}"
        parser.add_argument(name, type=document, metavar=metavar, help=text)
        return
    if parameter.name == "wait":
        text = f"{parameter.help}; {WAIT} without a value"
        parser.add_argument("--wait", nargs="?", const=WAIT, metavar="DURATION", help=text)
        return
    kind = str if parameter.kind is bool else parameter.kind
    parser.add_argument(
        _option(parameter),
        type=kind,
        required=parameter.is_required,
        dest=parameter.name,
        default=None,
        metavar=METAVARS.get(parameter.name),
        help=parameter.help,
    )


def _add_form(parser: argparse.ArgumentParser, parameter: Parameter, form: Form) -> None:
    """Adds a parameter with a form of its own."""
    text = f"{parameter.help}; may be repeated" if form.may_be_repeated else parameter.help
    if form.is_positional:
        parser.add_argument(
            parameter.name,
            nargs="+" if parameter.is_required else "*",
            action=form.action,
            type=form.parse,
            default=None,
            metavar=form.metavar,
            help=text,
        )
        return
    parser.add_argument(
        _option(parameter),
        action=form.action,
        type=form.parse,
        dest=parameter.name,
        default=None,
        metavar=form.metavar,
        help=text,
    )


def _option(parameter: Parameter) -> str:
    return "--" + parameter.name.rstrip("_").replace("_", "-")
