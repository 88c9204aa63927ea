"""Bugs that can be switched on, each with the scenario that kills it (docs/bugs.md)."""

from . import agents as agents
from . import copies as copies
from . import elections as elections
from . import expiry as expiry
from . import in_sync as in_sync
from . import leases as leases
from . import messages as messages
from . import partitions as partitions
from . import promises as promises
from . import registration as registration
from . import replication as replication
from . import sentinels as sentinels
from . import states as states
from . import storage as storage
from . import votes as votes
from .mutant import MUTANTS as MUTANTS
from .mutant import Mutant as Mutant
from .mutant import planted as planted
