#!/usr/bin/python3
"""Gradient boosting by LightGBM, whose wheel asks for the system's libgomp."""

import driver

me = driver.Driver("boosting", "boosting: gradient boosting by LightGBM; models that are independent.")
me.whole("--rows", 20000, 200, 10**7, "rows that a model learns from")
me.whole("--trees", 30, 1, 1000, "trees of each model")
me.whole("--models", 4, 1, 1000, "models, each of a sample of its own")
given = me.read()
me.python(driver.VENV, "numpy", "lightgbm")

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402
from balls import models  # noqa: E402

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


def learned(rows: np.ndarray, classes: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    return lightgbm.train(HOW, lightgbm.Dataset(rows, classes), given.trees).predict(unseen)


models(me, given, learned)
