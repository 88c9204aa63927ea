"""`python -m tests.kafka_fold`: see `command.py`."""

import sys

from tests.kafka_fold.command import main

sys.exit(main(sys.argv[1:]))
