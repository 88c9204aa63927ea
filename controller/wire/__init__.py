"""Kafka's bytes, and their JSON, for the dataclasses of `core`: tables, and what is made of them.

`schema` is the vocabulary of the tables; `api_*.py`, `metadata_records` and `control_records` are
the tables; `codec` compiles one of them for one version, `json_form` walks it. Nothing in here
decides anything. Bad bytes are a `DecodeError`, and nothing else is.
"""
