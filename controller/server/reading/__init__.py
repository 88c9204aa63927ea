"""How the bytes of large requests arrive."""
