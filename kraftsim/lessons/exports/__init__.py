"""A run for a viewer: one file of HTML, a trace for Perfetto, a log for ShiViz."""
