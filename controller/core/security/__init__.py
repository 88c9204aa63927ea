"""SCRAM credentials and ACLs in the metadata: changes and descriptions."""
