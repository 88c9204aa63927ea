"""A scenario file as checked values, and its plan for one seed."""
