"""Benchmarks: each runs a peer beside us where there is one, in turn, and prints medians and ratios.

`python -m bench [NAME ...]`. Nothing here is asserted: machines are noisy, and speed is no test.
"""
