"""One small cluster, told to us and to other simulators of Python: each file is a program that runs
it once a seed and prints what it took. They run on a Python of their own (simulation_peers.py)."""
