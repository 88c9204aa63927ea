"""The arguments of operations on the command line, and how their texts are parsed."""
