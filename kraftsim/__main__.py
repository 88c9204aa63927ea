"""The command `kraftsim` and `python -m kraftsim`: handles Ctrl-C first, then runs the CLI."""

import gc
import sys

try:
    from .cli.interrupt_exit import exit_at_interrupt
except KeyboardInterrupt:  # as exit_at_interrupt does once it is imported
    print("kraftsim: interrupted", file=sys.stderr)
    sys.exit(130)


def run() -> None:
    """Runs the command line, and exits with its exit code."""
    exit_at_interrupt()
    gc.disable()  # imports create no garbage; a service enables it in `bound_pauses`
    from .cli.main import main

    code = main()
    exit_at_interrupt()
    sys.exit(code)


if __name__ == "__main__":
    run()
