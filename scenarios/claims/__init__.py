"""Claims of a scenario about its own run (`expect:`): one file per kind of claim."""

from .expect import Expect
from .measured import Measured
from .watching import Expectations

__all__ = ["Expect", "Expectations", "Measured"]
