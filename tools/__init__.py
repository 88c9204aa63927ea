"""Programs that build and measure the project and write pages of docs/; no part of the product."""
