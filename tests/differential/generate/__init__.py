"""Draws sequences of requests from a seed: mostly sensible ones, and wrong ones among them."""

from tests.differential.generate.examples import draw_examples
from tests.differential.generate.sequences import EVERY_DRAW, draw_sequence, draw_steps
from tests.differential.generate.silent import draw_silent_sequence

__all__ = ["EVERY_DRAW", "draw_examples", "draw_sequence", "draw_silent_sequence", "draw_steps"]
