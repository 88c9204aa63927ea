"""`python -m kraftsim` is the command `kraftsim`."""

import sys

from .cli.main import main

sys.exit(main())
