"""What OpenMP's constructs cost: the overhead suite for any runtime (paper 003)."""
