"""kraftsim: a simulated Kafka KRaft control plane that real Kafka software can talk to.

Most tests need only `from kraftsim import Cluster`; `kraftsim up` runs the same cluster as a
service.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api.cluster import Cluster as Cluster

__all__ = ["Cluster"]


def __getattr__(name: str) -> object:
    """Imports `Cluster` at its first use, so that `kraftsim --help` does not import it."""
    if name == "Cluster":
        from .api.cluster import Cluster

        return Cluster
    raise AttributeError(f"module 'kraftsim' has no attribute {name!r}")
