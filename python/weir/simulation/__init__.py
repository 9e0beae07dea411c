"""Runs scenarios in the simulator, and shows what came out."""
