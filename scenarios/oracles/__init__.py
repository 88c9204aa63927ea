"""What properties look up: replays of logs, tenures, and a data plane that only they have."""
