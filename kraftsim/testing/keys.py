"""What the plugin knows of a test that runs, by the keys of pytest's stash."""

import pytest

TYPE_CHECKING = False  # pytest imports this module at every start
if TYPE_CHECKING:
    from typing import Any

    from ..api.cluster import Cluster

EXPLORED = "_kraft_explored_seed"  # the parameter of a test that --kraft-explore makes
SEED = pytest.StashKey[int]()
RUNNING: "pytest.StashKey[list[Cluster]]" = pytest.StashKey()
POOL: "pytest.StashKey[Any]" = pytest.StashKey()
LOOP_SCOPE: "pytest.StashKey[str | None]" = pytest.StashKey()
FAULTS: "pytest.StashKey[Any]" = pytest.StashKey()
INVARIANTS: "pytest.StashKey[Any]" = pytest.StashKey()
PROCESSES: "pytest.StashKey[list[Any]]" = pytest.StashKey()
CHOSEN: "pytest.StashKey[Any]" = pytest.StashKey()
FAILURE: "pytest.StashKey[Any]" = pytest.StashKey()
FAILED_AT = pytest.StashKey[int]()  # microseconds of the cluster's time
FAILED = pytest.StashKey[bool]()
SIMULATED: "pytest.StashKey[Any]" = pytest.StashKey()
CLOCKS: "pytest.StashKey[Any]" = pytest.StashKey()  # of the configuration
