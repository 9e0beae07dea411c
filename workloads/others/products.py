#!/usr/bin/python3
"""Products and Cholesky factors of several sizes by NumPy, whose wheel brings OpenBLAS with threads of its own."""

import driver

me = driver.Driver(
    "products", "products: products and factors of several sizes by OpenBLAS's threads.", pool="OpenBLAS"
)
me.whole("--size", 512, 8, 8192, "rows of the largest matrices; others have a half and a quarter")
me.whole("--matrices", 60, 1, 10000, "matrices, independent of each other")
given = me.read()
me.python(driver.VENV, "numpy", "threadpoolctl")

import numpy as np  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

# OpenBLAS's own variable stops at the number of processors.
threadpool_limits(me.pool, user_api="blas")
PRECISION = np.finfo(float).eps


def made(number: int) -> np.ndarray:
    size = given.size >> number % 3
    return np.random.default_rng(number).standard_normal((size, size))


def computed(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    square = a @ a.T
    return square, np.linalg.cholesky(square + len(a) * np.eye(len(a)))


def wrong(number: int, a: np.ndarray, square: np.ndarray, factor: np.ndarray) -> list[str]:
    """By products with a vector, whose sums NumPy makes without BLAS."""
    vector = np.random.default_rng(number + 1).standard_normal(len(a))
    definite = square + len(a) * np.eye(len(a))

    def times(m: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.einsum("ij,j->i", m, v)

    errors = {
        "product": abs(times(square, vector) - times(a, times(a.T, vector))).max() / np.linalg.norm(square),
        "factor": abs(times(definite, vector) - times(factor, times(factor.T, vector))).max()
        / np.linalg.norm(definite),
    }
    bound = 8 * len(a) * PRECISION
    return [
        f"the {name} of matrix {number} is off by {error:.1e}" for name, error in errors.items() if not error <= bound
    ]


matrices = [made(number) for number in range(given.matrices)]
results = me.timed([lambda a=a: computed(a) for a in matrices])
sums = [sum(float(abs(result[part]).sum()) for result in results) for part in range(2)]
me.finish(
    f"{given.matrices} matrices of up to {given.size} rows, sums " + " ".join(f"{value:.9e}" for value in sums),
    [said for number, result in enumerate(results) for said in wrong(number, matrices[number], *result)],
)
