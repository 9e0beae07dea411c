#!/usr/bin/python3
"""Nearest neighbours by FAISS, whose wheel brings OpenBLAS with OpenMP and a libgomp under a name of its own."""

import driver

me = driver.Driver("neighbours", "neighbours: the nearest of many vectors by FAISS, all searched or through a graph.")
me.whole("--vectors", 20000, 100, 10**7, "vectors among which neighbours are searched")
me.whole("--dimensions", 64, 2, 1000, "of a vector")
me.whole("--queries", 4000, 8, 10**6, "vectors whose neighbours are searched")
me.whole("--batches", 8, 1, 1000, "calls that share the queries")
me.choice("--index", ("flat", "inverted"), "all vectors are looked at, or those of the nearest cells")
given = me.read()
me.python(driver.VENV, "numpy", "faiss")

import faiss  # noqa: E402
import numpy as np  # noqa: E402

NEAREST = 5
random = np.random.default_rng(1)
vectors = random.random((given.vectors, given.dimensions), dtype=np.float32)
# Near a vector each, which is its nearest neighbour then.
near = random.integers(0, given.vectors, given.queries)
queries = vectors[near] + 0.01 * random.standard_normal((given.queries, given.dimensions), dtype=np.float32)

flat = faiss.IndexFlatL2(given.dimensions)
if given.index == "flat":
    index = flat
else:
    cells = max(4, int(given.vectors**0.5))
    index = faiss.IndexIVFFlat(flat, given.dimensions, cells)
    index.nprobe = max(2, cells // 6)
    # Cells are given: training adds up in the order in which threads come.
    flat.add(vectors[:cells])
    index.is_trained = True
index.add(vectors)

parts = np.array_split(queries, given.batches)
found = me.timed([lambda part=part: index.search(part, NEAREST) for part in parts])
distances, numbers = (np.concatenate([result[k] for result in found]) for k in (0, 1))
wrong = []
if (missed := (numbers[:, 0] != near).sum()) > 0:
    wrong.append(f"{missed} of {given.queries} queries have not found the vector that they were made of")
exact = ((queries[:, None, :].astype(float) - vectors[numbers]) ** 2).sum(axis=2)
if not (error := abs(exact - distances).max() / exact.max()) <= 1e-5:
    wrong.append(f"distances are off by {error:.1e}")
if given.index == "flat":
    few = queries[:8].astype(float)
    all_of_few = ((few[:, None, :] - vectors[None]) ** 2).sum(axis=2)
    if not (abs(np.sort(all_of_few)[:, :NEAREST] / exact[:8] - 1) <= 1e-5).all():
        wrong.append("of the first 8 queries not all neighbours are the nearest")
# Distances have single precision, and the BLAS divides its sums: neighbours may change places, their sum does not.
total = distances.astype(float).sum()
me.finish(f"{given.queries} queries, {given.vectors} vectors, sum of distances {total:.5e}", wrong)
