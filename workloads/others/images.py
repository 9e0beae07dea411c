#!/usr/bin/python3
"""Image processing by ImageMagick's command convert, as Debian has it."""

import hashlib
import os
import subprocess
import time
from pathlib import Path

import driver

STEPS = "-blur 0x2 -emboss 1 -statistic Median 3x3 -modulate 110,80,90 -selective-blur 0x2+10% -sharpen 0x1 -equalize"
CONVERT = Path("/usr/bin/convert")

about = "images: filters and distortions of a tall picture by ImageMagick's convert."
me = driver.Driver("images", about, python_threads=False)
me.whole("--width", 40, 16, 10000, "pixels")
# Debian's convert (6.9.11) takes all of its threads for 9,000 rows or more alone.
me.whole("--height", 15000, 16, 15900, "pixels")
given = me.read()
if not CONVERT.exists():
    me.refuse(f"{CONVERT} is missing: scripts/setup test installs it")


def painted(**environment: str) -> bytes:
    size = f"{given.width}x{given.height}"
    words = [CONVERT, "-size", size, "tile:rose:", *STEPS.split(), "-depth", "16", "ppm:-"]
    done = subprocess.run(words, env=os.environ | environment, capture_output=True)
    if done.returncode != 0:
        me.finish("nothing", [f"convert ended with status {done.returncode}: {done.stderr.decode(errors='replace')}"])
    return done.stdout


wall, before = time.monotonic(), os.times()
picture = painted()
wall, since = time.monotonic() - wall, os.times()
me.took(wall, since.children_user + since.children_system - before.children_user - before.children_system)
wide, high = picture.split(maxsplit=3)[1:3]
me.finish(
    f"{wide.decode()}x{high.decode()} pixels, {hashlib.sha256(picture).hexdigest()[:16]}",
    [] if picture == painted(MAGICK_THREAD_LIMIT="1") else ["the picture is not that of one thread"],
    "with the start of convert",
)
