"""What barriers cost: `weir bench`."""
