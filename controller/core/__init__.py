"""The pure core: facts (`records`), their fold (`image`), guesses (`leases`), and decisions.

Nothing in here reads a clock, a socket or a random source, logs, or awaits. Time is an argument.
"""
