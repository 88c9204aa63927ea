"""`kraftsim completion`: scripts with which a shell completes words, options and their values."""
