"""Commands that run until a signal: `kraftsim up`, `kraftsim controller run`, `kraftsim agent`."""
