#!/usr/bin/python3
"""A film of moving shapes, encoded by x265, which ffmpeg has as a library. x265 has a pool of threads of its own."""

import hashlib
import os
import subprocess
import time

import driver

me = driver.Driver("video", "video: a film encoded by ffmpeg with x265.", python_threads=False, pool="x265's pool")
me.whole("--width", 320, 64, 4096, "pixels")
me.whole("--height", 192, 64, 4096, "pixels")
me.whole("--frames", 80, 1, 100000, "of the film")
given = me.read()
given.width, given.height = given.width // 8 * 8, given.height // 8 * 8
ffmpeg = me.command("ffmpeg")
me.python(driver.VENV, "numpy")

import numpy as np  # noqa: E402

SIZE = f"{given.width}x{given.height}"
RAW = ["-f", "rawvideo", "-pix_fmt", "yuv420p"]
LEAST_DB = 30.0  # of the signal to what was lost


def said(words: list[str], given_input: bytes = b"") -> bytes:
    done = subprocess.run([ffmpeg, "-v", "error", "-nostdin", *words], input=given_input, capture_output=True)
    if done.returncode != 0:
        me.finish("nothing", [f"ffmpeg ended with status {done.returncode}: {done.stderr.decode(errors='replace')}"])
    return done.stdout


def encoded(film: bytes) -> bytes:
    # Frames at once are given: the stream is the same for each number of threads.
    how = f"pools={me.pool}:frame-threads=2:crf=24:log-level=none:info=0"
    words = [*RAW, "-s", SIZE, "-r", "25", "-i", "-", "-c:v", "libx265", "-preset", "fast", "-x265-params", how]
    return said([*words, "-f", "hevc", "-"], film)


film = said(["-f", "lavfi", "-i", f"testsrc2=size={SIZE}:rate=25", "-frames:v", str(given.frames), *RAW, "-"])
wall, before = time.monotonic(), os.times()
stream = encoded(film)
wall, since = time.monotonic() - wall, os.times()
me.took(wall, since.children_user + since.children_system - before.children_user - before.children_system)

decoded = said(["-f", "hevc", "-threads", "1", "-i", "-", *RAW, "-"], stream)
wrong = []
if len(decoded) != len(film):
    wrong.append(f"{len(decoded)} bytes come out of the film of {len(film)}")
else:
    lost = np.frombuffer(film, np.uint8).astype(float) - np.frombuffer(decoded, np.uint8)
    decibels = 10 * np.log10(255**2 / max((lost**2).mean(), 1e-9))
    if not decibels >= LEAST_DB:
        wrong.append(f"the film has come out with {decibels:.1f} dB")
digest = hashlib.sha256(stream).hexdigest()[:16]
me.finish(f"{given.frames} frames of {SIZE}, {len(stream)} bytes, {digest}", wrong, "with the start of ffmpeg")
