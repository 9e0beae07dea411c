"""Barriers on clusters that are not here: `weir scale`."""
