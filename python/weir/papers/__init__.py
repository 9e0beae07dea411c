"""What the papers found, and what becomes of it here: `weir papers`, docs/papers.md.

May use: base.
"""
