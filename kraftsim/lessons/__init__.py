"""Lessons: scenario files that a page plays, rewinds, forks and explains."""
