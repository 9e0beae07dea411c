"""Programs run on Weir's OpenMP runtime, and what they need of it."""
