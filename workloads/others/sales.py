"""What both drivers of databases share: sales in shops, of whole numbers, and what NumPy says of them."""

import hashlib

import numpy as np

SHOPS, REGIONS, DAYS = 1009, 16, 365


def columns(rows: int) -> dict[str, np.ndarray]:
    """Of the sales, in no order."""
    random = np.random.default_rng(1)
    return {
        "shop": random.integers(0, SHOPS, rows),
        "day": random.integers(0, DAYS, rows),
        "price": random.integers(1, 10_000, rows),
    }


def regions() -> np.ndarray:
    """Of each shop."""
    return np.arange(SHOPS) * 7 % REGIONS


def answer(table: dict[str, np.ndarray], since: int) -> np.ndarray:
    """For each region and day from `since` on, in this order: region, day, sales, their sum, the highest price."""
    of = table["day"] >= since
    keys = regions()[table["shop"][of]] * DAYS + table["day"][of]
    count = np.bincount(keys, minlength=REGIONS * DAYS)
    total = np.bincount(keys, table["price"][of], minlength=REGIONS * DAYS).astype(np.int64)
    highest = np.zeros(REGIONS * DAYS, dtype=np.int64)
    np.maximum.at(highest, keys, table["price"][of])
    there = np.flatnonzero(count)
    return np.stack([there // DAYS, there % DAYS, count[there], total[there], highest[there]], axis=1)


def result(found: list[np.ndarray], rows: int) -> str:
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(one, dtype=np.int64).tobytes() for one in found))
    return f"{len(found)} answers of {rows} sales, {digest.hexdigest()[:16]}"


def wrong(found: list[np.ndarray], table: dict[str, np.ndarray], since: list[int]) -> list[str]:
    """`since`: of each answer."""
    right = {day: answer(table, day) for day in set(since)}
    return [
        f"answer {number}, from day {day} on, is not NumPy's"
        for number, (one, day) in enumerate(zip(found, since, strict=True))
        if not np.array_equal(one, right[day])
    ]
