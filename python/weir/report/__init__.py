"""The report: one self-contained page from records."""
