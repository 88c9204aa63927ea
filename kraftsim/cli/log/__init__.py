"""The verbs that read a metadata log by themselves: `log dump` and `follow`."""
