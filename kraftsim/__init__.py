"""kraftsim: a simulated Kafka KRaft control plane that real Kafka software can talk to.

Most tests need only `from kraftsim import Cluster`; `kraftsim up` runs the same cluster as a
service. `BlockingCluster` is the same without `await`, also that of the pytest fixture
`kraft_sync`. `ApiError` is a refusal by the controller, `CommandError` a command that cannot be
carried out, `UnknownBroker` and `UnknownController` an id that no node has.

The public names are those in `__all__` here and in `kraftsim.admin`, the functions that
docs/live.md imports, and the fixtures and options of pytest (docs/pytest.md). Every
other name in the modules and packages of kraftsim is internal and can change in any release.
"""

import os

if os.environ.get("KRAFTSIM_PURE"):  # its name is in machine_code, whose import takes time
    from .machine_code import ignore

    ignore()

TYPE_CHECKING = False  # importing typing takes a third of the time of `kraftsim --help`
if TYPE_CHECKING:
    from .api.cluster import Cluster as Cluster
    from .controller.core.errors import ApiError as ApiError
    from .controller.core.errors import ErrorCode as ErrorCode
    from .errors import CommandError as CommandError
    from .errors import UnknownBroker as UnknownBroker
    from .errors import UnknownController as UnknownController
    from .testing.blocking_cluster import BlockingCluster as BlockingCluster

__all__ = [
    "ApiError",
    "BlockingCluster",
    "Cluster",
    "CommandError",
    "ErrorCode",
    "UnknownBroker",
    "UnknownController",
]

_HOMES = {
    "Cluster": ".api.cluster",
    "BlockingCluster": ".testing.blocking_cluster",
    "ApiError": ".controller.core.errors",
    "ErrorCode": ".controller.core.errors",
    "CommandError": ".errors",
    "UnknownBroker": ".errors",
    "UnknownController": ".errors",
}


def __getattr__(name: str) -> object:
    """Imports a public name at its first use, so that `kraftsim --help` imports none of them."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module 'kraftsim' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
