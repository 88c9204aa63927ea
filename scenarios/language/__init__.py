"""The grammar of scenario files: values with units, selectors, and readers that check types."""
