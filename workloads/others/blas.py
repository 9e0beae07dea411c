#!/usr/bin/python3
"""Dense linear algebra by NumPy over OpenBLAS with OpenMP, as Debian has them."""

import driver

me = driver.Driver("blas", "blas: products, solutions, factors and eigenvalues by NumPy over OpenBLAS with OpenMP.")
me.whole("--size", 500, 2, 8192, "rows of each matrix")
me.whole("--systems", 12, 1, 10000, "matrices, independent of each other")
given = me.read()
blas = driver.openblas() or me.refuse("libopenblas0-openmp is missing: scripts/setup workloads installs it")
me.python(driver.DEBIANS, "numpy", libraries=blas)

import numpy as np  # noqa: E402

PRECISION = np.finfo(float).eps


def made(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.standard_normal((given.size, given.size)), random.standard_normal((given.size, 3))


def computed(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
    square = a @ a.T
    definite = square + given.size * np.eye(given.size)
    return square, np.linalg.solve(definite, b), np.linalg.cholesky(definite), np.linalg.eigvalsh(square)


def wrong(seed: int, square: np.ndarray, x: np.ndarray, factor: np.ndarray, values: np.ndarray) -> list[str]:
    """Bounds are those of the methods' backward errors, with room for their constants. NumPy makes the sums of the
    checks by itself, without BLAS."""
    a, b = made(seed)
    few = np.random.default_rng(seed + 1).integers(0, given.size, 4)
    definite = square + given.size * np.eye(given.size)
    scale, bound = np.linalg.norm(square), 8 * given.size * PRECISION

    def times(m: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.einsum("ij,jk->ik", m, v)

    errors = {
        "a product": abs(square[few] - times(a[few], a.T)).max() / scale,
        "a solution": abs(times(definite, x) - b).max() / (np.linalg.norm(definite) * abs(x).max()),
        "a factor": abs(definite[few] - times(factor[few], factor.T)).max() / np.linalg.norm(definite),
        "the eigenvalues' sum": abs(values.sum() - np.trace(square)) / scale,
        "the sum of the eigenvalues' squares": abs((values**2).sum() - scale**2) / scale**2,
    }
    return [f"{name} of matrix {seed} is off by {error:.1e}" for name, error in errors.items() if not error <= bound]


problems = [made(seed) for seed in range(given.systems)]
results = me.timed([lambda a=a, b=b: computed(a, b) for a, b in problems])
sums = [sum(float(abs(result[part]).sum()) for result in results) for part in range(4)]
me.finish(
    f"{given.systems} matrices of {given.size} rows, sums " + " ".join(f"{value:.9e}" for value in sums),
    [said for seed, result in enumerate(results) for said in wrong(seed, *result)],
)
