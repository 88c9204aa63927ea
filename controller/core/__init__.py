"""The pure core of the controller: records (`log`), their replay (`image`), and decisions.

Each subject has its own package. The core reads no clock, socket or random source, writes no log
messages and never awaits. Time and entropy are arguments.
"""
