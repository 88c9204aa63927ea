"""One operation on a cluster: its names in HTTP, the command line and Python, and its parameters.

The parameters of an operation are those of its function after the cluster: their names, types and
defaults are read from the signature. Its summary is the first line of the function's docstring.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from kraftsim.controller.core.camel_case import lower_camel
from kraftsim.scenarios.language.suggestions import DIGITS_MAX, nearest, whole_number

from ..api.argument_checks import Check, accept_all
from ..errors import CommandError
from .parameter_texts import parameter_text

Run = Callable[..., Awaitable[Mapping[str, object]]]

SINGLE = ("clock", "log", "quorum")  # nouns of which a cluster has one


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an operation.

    `kind` is int, bool, str, list for an array, or dict for an object. A `default` of
    `inspect.Parameter.empty` makes the parameter required. `help` has the default and the unit.
    `takes_number` marks a text for which JSON may have a number: a duration or a factor.
    """

    name: str
    kind: type
    default: object
    help: str
    takes_number: bool = False

    @property
    def is_required(self) -> bool:
        """True if the parameter has no default."""
        return self.default is inspect.Parameter.empty

    @property
    def json_name(self) -> str:
        """The parameter's name in lowerCamel, as JSON documents and HTTP queries spell it."""
        return lower_camel(self.name)


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its HTTP route, its CLI words, and its function.

    The route, the words and the method of a cluster use the same noun and verb: `GET /v1/brokers`,
    `kraftsim broker list` and `kraft.brokers.list()`; `POST /sim/brokers/{id}/kill`,
    `kraftsim broker kill` and `kraft.brokers.kill()`. Verbs of the noun "cluster", and verbs
    without a noun, are methods of the cluster itself.

    `changes` marks an operation that changes the cluster: it belongs to the control side, which is
    served on loopback only. `moves_time` marks an operation that advances a virtual clock: it
    belongs to the control side only on a virtual clock.

    `check` raises UsageError or ValueError for arguments that no cluster accepts. The command
    line calls it before it calls the service; the method of `Cluster` makes the same checks.
    """

    method: Literal["GET", "POST"]
    path: str
    words: tuple[str, ...]
    run: Run
    changes: bool = False
    moves_time: bool = False
    check: Check = accept_all

    @property
    def python(self) -> str:
        """The method of a cluster, with the part that it belongs to: "brokers.kill"."""
        noun, *verbs = self.words
        if noun == "events":
            return "events.list"
        if noun == "cluster" or not verbs:
            return self.words[-1]
        part = noun if noun in SINGLE else f"{noun}s"
        return f"{part}.{verbs[0].replace('-', '_')}"

    @property
    def name(self) -> str:
        """The name of the function that runs the operation."""
        return self.run.__name__

    @property
    def summary(self) -> str:
        """The first line of the function's docstring, a sentence: the summary in OpenAPI."""
        return (inspect.getdoc(self.run) or "").split("\n")[0]

    @property
    def help(self) -> str:
        """The summary as a phrase, without capital and full stop, as other verbs' help texts."""
        return self.summary[:1].lower() + self.summary[1:].removesuffix(".")

    @property
    def responses(self) -> tuple[type, ...]:
        """The types of the response, which are TypedDicts; more than one if it is a union."""
        annotation = inspect.signature(self.run).return_annotation
        return get_args(annotation) or (annotation,)

    @property
    def parameters(self) -> list[Parameter]:
        """The parameters of the function after the cluster, in order."""
        signature = inspect.signature(self.run)
        named = list(signature.parameters.values())[1:]
        return [
            Parameter(
                parameter.name,
                _kind(parameter.annotation),
                parameter.default,
                parameter_text(self.words[0], parameter.name),
                takes_number=float in get_args(parameter.annotation),
            )
            for parameter in named
        ]

    @property
    def path_names(self) -> list[str]:
        """The names of the parameters that are part of the HTTP path."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


def _kind(annotation: object) -> type:
    text = (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )
    name = str(text).split(" ")[0].split("[")[0].rpartition(".")[2]
    return {"int": int, "bool": bool, "Mapping": dict, "Sequence": list}.get(name, str)


def arguments(operation: Operation, values: dict[str, object]) -> dict[str, object]:
    """Checks the values of a request, and converts them to the operation's parameters.

    Raises CommandError, with the route or the parameter's name, for an invalid, unknown or missing
    value.
    """
    route = f"{operation.method} {operation.path}"
    parameters = {parameter.json_name: parameter for parameter in operation.parameters}
    for name in values:
        if name not in parameters:
            expected = nearest(name, parameters) if parameters else "no parameters"
            raise CommandError(f"{route}: expected {expected}, got {name!r}")
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.is_required and name not in values
    ]
    if missing:
        raise CommandError(
            f"{route}: expected the parameters {', '.join(missing)}, got none of them"
        )
    return {
        parameters[name].name: converted(parameters[name], value) for name, value in values.items()
    }


def converted(parameter: Parameter, value: object) -> object:
    """Converts a JSON value or a text to the parameter's type; raises CommandError if it cannot."""
    if value is None and parameter.default is None:
        return None
    if parameter.kind in (str, list, dict) and isinstance(value, parameter.kind):
        return value
    if parameter.takes_number and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if parameter.kind is bool and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    if parameter.kind is int and (number := whole_number(str(value))) is not None:
        return number
    raise CommandError(f"{parameter.json_name}: expected {_expected(parameter)}, got {value!r}")


def _expected(parameter: Parameter) -> str:
    if parameter.kind is int:
        return f"a whole number of at most {DIGITS_MAX} characters"
    if parameter.takes_number:
        return "a text or a number"
    return {bool: "true or false", str: "a text", list: "an array", dict: "an object"}[
        parameter.kind
    ]
