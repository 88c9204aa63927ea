"""The image: the state of the cluster after replay of the metadata log."""
