"""The verbs that show the quorum and change its voters."""
