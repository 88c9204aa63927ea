"""What a campaign has shown: as numbers, and as one page."""
