"""Benchmarks: each measures kraftsim, and a peer where there is one, and prints medians and ratios.

`python -m bench [NAME ...]` runs them. They assert nothing, because timings vary by machine.
"""
