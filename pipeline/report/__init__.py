"""The report of a campaign: its findings as numbers and as one HTML page."""
