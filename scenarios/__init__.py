"""A whole cluster on one timeline: who exists (`topology`), how they live together (`world`)."""
