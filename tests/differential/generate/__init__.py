"""Draws sequences of requests from a seed: mostly sensible ones, so that the wrong ones meet a state."""

from tests.differential.generate.sequences import draw_sequence, draw_silent_sequence

__all__ = ["draw_sequence", "draw_silent_sequence"]
