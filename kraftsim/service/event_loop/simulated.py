"""Whether the running event loop is simulated, without an import that most clusters do not need."""

import asyncio
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...simulated_loop.loop import SimulatedLoop


def simulated_loop() -> "SimulatedLoop | None":
    """Returns the running event loop if it is simulated, else None."""
    module = sys.modules.get("kraftsim.simulated_loop.loop")
    if module is None:
        return None
    loop = asyncio.get_running_loop()
    return loop if isinstance(loop, module.SimulatedLoop) else None
