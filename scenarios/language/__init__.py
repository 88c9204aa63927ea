"""The grammar of scenario files: times with units, selectors, and readers that check types."""
