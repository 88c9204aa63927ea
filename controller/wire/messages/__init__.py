"""The fields of every message and record, as text: the only place that declares a field.

`python -m tools.messages` writes the classes of `core/rpc` and `core/log` from it; the codec reads
its schemas from it, each at first use. `grammar.py` describes the text.
"""
