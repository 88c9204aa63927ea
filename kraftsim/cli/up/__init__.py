"""What `kraftsim up` prints on a terminal: a live page of the cluster, and commands to try next."""
