#!/usr/bin/python3
"""Image processing by ImageMagick's command convert."""

import hashlib
import os
import subprocess
import time

import driver

STEPS = {
    "swirl": "-swirl 90",
    "blur": "-blur 0x3",
    "resize": "-resize 130%",
    "rotate": "-rotate 13",
    "emboss": "-emboss 1",
    "median": "-median 1",
    "modulate": "-modulate 110,80,90",
    "equalize": "-equalize",
    "sharpen": "-sharpen 0x2",
    "wave": "-wave 5x40",
}

me = driver.Driver("images", "images: filters and distortions of a picture by ImageMagick's convert.", python_threads=False)
me.whole("--width", 800, 16, 10000, "pixels")
me.whole("--height", 600, 16, 10000, "pixels")
given = me.read()
convert = me.command("convert")


def painted(**environment: str) -> bytes:
    words = f"-size {given.width}x{given.height} plasma:red-blue {' '.join(STEPS.values())} -depth 16 ppm:-".split()
    done = subprocess.run([convert, "-seed", "1", *words], env=os.environ | environment, capture_output=True)
    if done.returncode != 0:
        me.finish("nothing", [f"convert ended with status {done.returncode}: {done.stderr.decode(errors='replace')}"])
    return done.stdout


before, children = time.monotonic(), os.times()
picture = painted()
wall, since = time.monotonic() - before, os.times()
me.took(wall, since.children_user + since.children_system - children.children_user - children.children_system)
alone = painted(MAGICK_THREAD_LIMIT="1")
me.finish(
    f"{picture[:20].split()[1].decode()}x{picture[:20].split()[2].decode()} pixels, {hashlib.sha256(picture).hexdigest()[:16]}",
    [] if picture == alone else ["the picture is not that of one thread"],
    "the start of convert included",
)
