"""A search for runs that show something new: behaviours, mutated plans, rounds of candidates."""
