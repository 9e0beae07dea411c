"""How many threads scikit-learn's own regions have under threadpool_limits(1), and afterwards

For each: what scikit-learn will ask for, and how many threads the process has more once KMeans has run.
"""

import json
import os
import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.utils._openmp_helpers import _openmp_effective_n_threads
from threadpoolctl import threadpool_limits

POINTS = np.random.default_rng(1).random((2000, 8))


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def learn() -> tuple[int, int]:
    before = threads()
    KMeans(8, n_init=1, random_state=1).fit(POINTS)
    return _openmp_effective_n_threads(), threads() - before


with threadpool_limits(1):
    limited = learn()
json.dump([limited, learn()], sys.stdout)
