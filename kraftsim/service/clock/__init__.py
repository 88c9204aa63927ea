"""The clock of a running cluster: who moves it, who waits for it, and what holds it."""
