"""The words, checks, refusals and documents of what an administrator changes."""
