"""Requests that reach a listener, and rules that act on them."""
