"""Records what the tools print of a released cluster; takes some four minutes.

python -m tests.interop.tools
"""

import sys
import tempfile
from pathlib import Path

from tests.interop.tools.play import play
from tests.interop.tools.recording import keep
from tests.interop.tools.released import released_cluster
from tests.interop.tools.steps import steps
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kraftsim-tools-") as name:
        folder = Path(name)
        with (
            released_tools(NEWEST_WITH_TOOLS, folder) as tools,
            released_cluster(NEWEST_WITH_TOOLS, folder, tools) as cluster,
        ):
            keep(NEWEST_WITH_TOOLS.version, play(steps(), cluster, tools, folder / "files"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
