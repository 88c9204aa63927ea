"""The schema of each API in each version, and the table of all APIs."""
