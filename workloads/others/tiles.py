#!/usr/bin/python3
"""A Cholesky factorisation by tiles: threads of Python share the tiles, and each calls OpenBLAS, which has its own."""

import driver

me = driver.Driver("tiles", "tiles: Cholesky factors by tiles.", pool="Python that share tiles, and of OpenBLAS")
me.whole("--size", 1280, 8, 16384, "rows of a matrix")
me.whole("--tile", 128, 4, 4096, "rows of a tile")
me.whole("--matrices", 4, 1, 1000, "matrices, independent of each other")
given = me.read()
if given.size % given.tile:
    me.refuse(f"--size {given.size} is no multiple of --tile {given.tile}")
me.python(driver.VENV, "numpy", "threadpoolctl")

from concurrent.futures import ThreadPoolExecutor  # noqa: E402

import numpy as np  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

threadpool_limits(me.pool, user_api="blas")
COUNT = given.size // given.tile


def made(number: int) -> np.ndarray:
    random = np.random.default_rng(number).standard_normal((given.size, given.size))
    return random + random.T + 4 * given.size**0.5 * np.eye(given.size)


def factored(whole: np.ndarray) -> np.ndarray:
    """In each step the tiles below the diagonal are independent, and then the tiles that they change."""
    left = whole.copy()

    def tile(i: int, k: int) -> np.ndarray:
        return left[i * given.tile : (i + 1) * given.tile, k * given.tile : (k + 1) * given.tile]

    with ThreadPoolExecutor(me.pool) as pool:
        for k in range(COUNT):
            tile(k, k)[:] = np.linalg.cholesky(tile(k, k))
            inverse = np.linalg.inv(tile(k, k))

            def divide(i: int, k: int = k, by: np.ndarray = inverse) -> None:
                tile(i, k)[:] = tile(i, k) @ by.T

            def change(at: tuple[int, int], k: int = k) -> None:
                i, j = at
                block = tile(i, j)
                block -= tile(i, k) @ tile(j, k).T

            list(pool.map(divide, range(k + 1, COUNT)))
            list(pool.map(change, [(i, j) for i in range(k + 1, COUNT) for j in range(k + 1, i + 1)]))
    return np.tril(left)


def wrong(number: int, whole: np.ndarray, factor: np.ndarray) -> list[str]:
    """By a product with a vector, whose sums NumPy makes without BLAS."""
    vector = np.random.default_rng(number + 1).standard_normal(given.size)

    def times(m: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.einsum("ij,j->i", m, v)

    error = abs(times(whole, vector) - times(factor, times(factor.T, vector))).max() / np.linalg.norm(whole)
    return [] if error <= 8 * given.size * np.finfo(float).eps else [f"factor {number} is off by {error:.1e}"]


matrices = [made(number) for number in range(given.matrices)]
factors = me.timed([lambda matrix=matrix: factored(matrix) for matrix in matrices])
me.finish(
    f"{given.matrices} matrices of {given.size} rows in tiles of {given.tile}, sum "
    f"{sum(float(abs(factor).sum()) for factor in factors):.9e}",
    [said for number, factor in enumerate(factors) for said in wrong(number, matrices[number], factor)],
)
