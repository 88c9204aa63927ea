"""`kraftsim completion`: prints a script with which a shell completes words and options."""

import argparse
from collections.abc import Callable, Sequence

from ...errors import GOOD
from ..output import add_output, is_data, print_data
from .places import Place, places
from .scripts import bash_script, fish_script, zsh_script

SCRIPTS: dict[str, Callable[[Sequence[Place]], str]] = {
    "bash": bash_script,
    "zsh": zsh_script,
    "fish": fish_script,
}


def add_completion(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `completion`."""
    parser.add_argument(
        "shell",
        choices=tuple(SCRIPTS),
        metavar="SHELL",
        help=(
            "bash, zsh or fish; `source <(kraftsim completion bash)` loads the script (zsh: the "
            "same, fish: `kraftsim completion fish | source`)"
        ),
    )
    add_output(parser)
    parser.set_defaults(run=_completion)


def _completion(arguments: argparse.Namespace) -> int:
    from .known_values import known_values

    script = SCRIPTS[arguments.shell](places(arguments.build_parser(), known_values()))
    if is_data(arguments):
        print_data(arguments, {"shell": arguments.shell, "script": script})
    else:
        print(script, end="")
    return GOOD
