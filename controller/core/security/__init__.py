"""SCRAM credentials in the metadata: changes and descriptions."""
