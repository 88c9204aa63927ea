"""`python -m kraftsim` is the command `kraftsim`."""

import sys

from .cli import main

sys.exit(main())
