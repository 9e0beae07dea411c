"""Every schedule of a small team: `weir explore`."""
