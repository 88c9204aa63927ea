"""kraftsim: a simulated Kafka KRaft control plane that real Kafka software can talk to.

`from kraftsim import Cluster` is all that most tests need; `kraftsim up` is the same as a service.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api.cluster import Cluster as Cluster

__all__ = ["Cluster"]


def __getattr__(name: str) -> object:
    """Import the cluster when it is first asked for: `kraftsim --help` does without it."""
    if name == "Cluster":
        from .api.cluster import Cluster

        return Cluster
    raise AttributeError(f"module 'kraftsim' has no attribute {name!r}")
