"""Runs the command `kraftsim` for `python -m kraftsim`."""

import sys

from .cli.main import main

sys.exit(main())
