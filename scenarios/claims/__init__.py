"""What a scenario claims of its own run (`expect:`): one file a kind of claim."""

from .expect import Expect
from .measured import Measured
from .watching import Expectations

__all__ = ["Expect", "Expectations", "Measured"]
