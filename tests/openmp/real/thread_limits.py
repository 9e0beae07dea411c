"""How many threads regions have under limits of threadpoolctl: thread_limits.py LIBRARY, with a function members()"""

import ctypes
import json
import sys

import numpy as np  # noqa: F401 -- and its BLAS
import sklearn.cluster  # noqa: F401 -- and what its wheel brings
from threadpoolctl import threadpool_info, threadpool_limits

members = ctypes.CDLL(sys.argv[1]).members


def said() -> dict[str, int]:
    """By the libraries' files: how many threads each says that it will have."""
    return {library["filepath"]: library["num_threads"] for library in threadpool_info()}


before = said(), members()
with threadpool_limits(1):
    limited = said(), members()
with threadpool_limits(3, user_api="openmp"):
    by_openmp = said(), members()
json.dump([before, limited, by_openmp, (said(), members())], sys.stdout)
