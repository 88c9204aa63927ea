"""Lives through a recording again, in virtual time, and compares the journals."""
