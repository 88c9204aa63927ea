"""The command `kraftsim` and `python -m kraftsim`: handles Ctrl-C first, then runs the CLI."""

import sys

from .cli.interrupt_exit import exit_at_interrupt


def run() -> None:
    """Runs the command line, and exits with its exit code."""
    exit_at_interrupt()
    from .cli.main import main

    code = main()
    exit_at_interrupt()
    sys.exit(code)


if __name__ == "__main__":
    run()
