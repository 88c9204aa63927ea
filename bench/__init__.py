"""Benchmarks: each runs a peer beside us where there is one, and prints medians and ratios.

`python -m bench [NAME ...]`. Nothing here is asserted: machines are noisy, and speed is no test.
"""
