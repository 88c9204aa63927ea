"""The pure core: facts (`log`), their fold (`image`), and decisions, one room a subject.

Nothing in here reads a clock, a socket or a random source, logs, or awaits. Time is an argument.
"""
