"""Linear algebra on a BLAS with OpenMP: python linear_algebra.py RESULTS.npz"""

import sys

import numpy as np
from scipy import linalg

random = np.random.default_rng(1)
a = random.standard_normal((300, 300))
b = random.standard_normal((300, 280))
spd = a @ a.T + 300 * np.eye(300)
lu, pivots = linalg.lu_factor(a)
results = {
    "product": a @ b,
    "float32": a.astype(np.float32) @ b.astype(np.float32),
    "complex": (a + 1j * a.T) @ (b + 2j),
    "vector": a @ b[:, 0],
    "symmetric": linalg.blas.dsyrk(1.0, a),
    "triangular": linalg.solve_triangular(np.tril(spd), b, lower=True),
    "solve": linalg.solve(a, b),
    "lu": lu,
    "pivots": pivots,
    "cholesky": linalg.cholesky(spd),
    "eigenvalues": linalg.eigvalsh(spd),
    "singular values": linalg.svdvals(b),
    "long dot": np.array([random.standard_normal(200_000) @ random.standard_normal(200_000)]),
}
np.savez(sys.argv[1], **results)
