"""A large cluster in virtual time, and heartbeats at a steady rate beside its snapshots."""
