"""Weir: barriers measured, simulated and drawn. The command is `weir`; this is what it is made of."""
