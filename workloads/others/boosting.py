#!/usr/bin/python3
"""Gradient boosting by LightGBM, whose wheel asks for the system's libgomp."""

import driver

me = driver.Driver("boosting", "boosting: gradient boosting by LightGBM; models that are independent.")
me.whole("--rows", 20000, 200, 10**7, "rows that a model learns from")
me.whole("--trees", 30, 1, 1000, "trees of each model")
me.whole("--models", 4, 1, 1000, "models, each of a sample of its own")
given = me.read()
me.python(driver.VENV, "numpy", "lightgbm")

import hashlib  # noqa: E402

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
from balls import MARGIN, sample  # noqa: E402

unseen, belongs = sample(2000, 0)
samples = [sample(given.rows, seed) for seed in range(1, given.models + 1)]
HOW = {
    "objective": "binary",
    "learning_rate": 0.3,
    # LightGBM promises the same model for each number of threads with these two.
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 0,  # what OpenMP says
    "seed": 1,
    "verbosity": -1,
}


def learned(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
    return lightgbm.train(HOW, lightgbm.Dataset(rows, classes), given.trees).predict(unseen)


found = me.timed([lambda its=its: learned(*its) for its in samples])
right = [float(((said > 0.5) == belongs).mean()) for said in found]
digest = hashlib.sha256(b"".join(said.tobytes() for said in found)).hexdigest()[:16]
me.finish(
    f"{given.models} models of {given.rows} rows, right about {' '.join(f'{part:.4f}' for part in right)}, {digest}",
    [f"model {k} is right about {its:.4f} of what it has not seen" for k, its in enumerate(right) if not its >= MARGIN],
)
