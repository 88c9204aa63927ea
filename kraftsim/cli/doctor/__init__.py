"""`kraftsim doctor`: checks of this machine and of a running cluster, with what to do next."""
