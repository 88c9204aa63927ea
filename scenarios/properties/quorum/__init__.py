"""Properties of the metadata quorum: its elections, logs, voters, requests and replies."""
