"""Owns what makes CPython behave as on Linux inside the sandbox; imports nearly nothing, since every run pays for it."""

import select
import time


def _sleep(seconds):
    """Waits through poll(2), which gives the isolate to others meanwhile and ends with the run."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    deadline = time.monotonic() + seconds
    select.poll().poll(seconds * 1000)
    while time.monotonic() < deadline:
        select.poll().poll(1)


time.sleep = _sleep
