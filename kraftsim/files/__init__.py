"""Files that users write: scenarios in YAML, pins, includes, `.properties`."""
