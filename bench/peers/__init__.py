"""The same small cluster on kraftsim and on other Python simulators.

Each file is a program that runs it once per seed and prints the time that it took. The programs run
on a separate Python (simulation_peers.py).
"""
