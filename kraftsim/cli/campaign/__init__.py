"""`kraftsim campaign ...`: run, resume, check, compare and report campaigns."""
