"""The build hook of wheels: `KRAFTSIM_NATIVE=1 pip wheel .` adds compiled modules to the wheel.

Without the variable the wheel is pure. The Python modules are in both: a process with
`KRAFTSIM_PURE=1` runs them, and planted bugs need them (`kraftsim/machine_code.py`).
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "KRAFTSIM_NATIVE"
COMPILER = ["mypy>=1.13", "setuptools>=65"]  # as in the `dev` dependencies


class NativeWheel(BuildHookInterface[BuilderConfig]):
    """Adds the shared libraries of `tools/native.py` to a wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Returns the packages that the build needs beside hatchling."""
        return COMPILER if os.environ.get(VARIABLE) else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compiles, and adds the libraries; an editable installation stays pure."""
        if version != "standard" or not os.environ.get(VARIABLE):
            return
        subprocess.run([sys.executable, "-m", "tools.native"], cwd=self.root, check=True)
        copy = Path(self.root, "build", "native")
        build_data["pure_python"], build_data["infer_tag"] = False, True
        for library in (*copy.rglob("*.so"), *copy.rglob("*.pyd")):
            build_data["force_include"][str(library)] = str(library.relative_to(copy))
