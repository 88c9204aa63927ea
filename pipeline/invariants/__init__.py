"""What must hold of every committed log, looked at again without the code that made it."""
