"""One run of a plan: stage, timetable, calm, watched properties."""
