#!/usr/bin/python3
"""Clusters by scikit-learn's KMeans, as Debian has it."""

import driver

me = driver.Driver("clustering", "clustering: Lloyd's algorithm by scikit-learn, from several starts.")
me.whole("--points", 50000, 100, 10**7, "points")
me.whole("--dimensions", 16, 2, 1000, "of a point")
me.whole("--clusters", 24, 2, 1000, "clusters that there are")
me.whole("--iterations", 20, 1, 1000, "of each run at most")
me.whole("--starts", 8, 1, 1000, "runs, each from centres of its own")
given = me.read()
me.python(driver.DEBIANS, "numpy", "sklearn", libraries=driver.openblas())

import numpy as np  # noqa: E402
from sklearn.cluster import KMeans  # noqa: E402

random = np.random.default_rng(1)
# Neighbouring centres are about five standard deviations apart, so that Lloyd's algorithm takes some iterations.
centres = random.uniform(-1.5, 1.5, (given.clusters, given.dimensions))
points = centres[np.arange(given.points) % given.clusters] + random.standard_normal((given.points, given.dimensions))


def clustered(seed: int) -> KMeans:
    start = points[np.random.default_rng(seed).choice(given.points, given.clusters, replace=False)]
    return KMeans(given.clusters, init=start, n_init=1, max_iter=given.iterations, tol=0).fit(points)


def wrong(seed: int, model: KMeans) -> list[str]:
    squares = np.empty((given.clusters, given.points))
    for cluster, centre in enumerate(model.cluster_centers_):
        squares[cluster] = ((points - centre) ** 2).sum(axis=1)
    found = []
    if (far := (squares[model.labels_, np.arange(given.points)] > squares.min(axis=0) + 1e-9).sum()) > 0:
        found.append(f"of start {seed} {far} points are nearer to the centre of another cluster")
    if not abs(model.inertia_ / squares.min(axis=0).sum() - 1) <= 1e-9:
        found.append(f"start {seed} has not the inertia of its points")
    # The variance within the clusters that the points are made of is that of a normal distribution.
    if not model.inertia_ <= 1.5 * given.points * given.dimensions:
        found.append(f"start {seed} has found no clusters: {model.inertia_:.3e}")
    return found


found = me.timed([lambda seed=seed: clustered(seed) for seed in range(given.starts)])
# Threads add up the centres in the order in which they come.
me.finish(
    f"{given.points} points, inertia {' '.join(f'{model.inertia_:.9e}' for model in found)}",
    [said for seed, model in enumerate(found) for said in wrong(seed, model)],
)
