"""Kafka's command line tools, of which a released cluster and ours are asked the same.

    python -m tests.interop.tools

asks a released cluster and records its answers in recorded.json; tests/interop/test_tools.py asks
ours.
"""
