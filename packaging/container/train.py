"""Trains a classifier by scikit-learn's gradient boosting; says how well it does, how long that took, and on what."""

import os
import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info

random = np.random.default_rng(1)
rows = random.standard_normal((20000, 20))
classes = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(int)
half = len(rows) // 2

began = time.perf_counter()
model = HistGradientBoostingClassifier(max_iter=100, early_stopping=False, random_state=1)
model.fit(rows[:half], classes[:half])
took = time.perf_counter() - began

# scikit-learn's wheel brings one, which stays loaded where Weir's is called instead.
runtimes = [os.path.basename(library["filepath"]) for library in threadpool_info() if library["user_api"] == "openmp"]
print(f"{model.score(rows[half:], classes[half:]):.3f} of unseen rows are right, after {took:.2f} s")
print(f"OpenMP runtimes loaded: {', '.join(runtimes)}")
