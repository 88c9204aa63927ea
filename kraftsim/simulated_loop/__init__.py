"""An event loop in virtual time, in which asyncio software repeats from a seed."""

from .errors import BlockingCallRefused, Deadlock, NotSimulated
from .real_clocks import real_clocks_patched
from .runner import run

__all__ = ["BlockingCallRefused", "Deadlock", "NotSimulated", "real_clocks_patched", "run"]
