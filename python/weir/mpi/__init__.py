"""What barriers cost across processes: `weir bench mpi` (paper 004)."""
