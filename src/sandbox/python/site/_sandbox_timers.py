"""Owns the timers of the module signal: SIGALRM comes from outside of CPython (python/alarm.ts), while Python computes or sleeps."""

import math
import time

import _posixsubprocess

_at = None
_every = 0.0


def setitimer(which, seconds, interval=0.0):
    global _at, _every
    if which != 0:
        raise OSError(28, "Invalid argument: the sandbox has the timer ITIMER_REAL only")
    if seconds < 0 or interval < 0:
        raise OSError(28, "Invalid argument")
    before = getitimer(which)
    _at = time.monotonic() + seconds if seconds > 0 else None
    _every = float(interval)
    _posixsubprocess.request(do="alarm", ms=seconds * 1000, every=interval * 1000)
    return before


def getitimer(which):
    if _at is None:
        return 0.0, 0.0
    left = _at - time.monotonic()
    if left <= 0:
        left = _every - (-left % _every) if _every else 0.0
    return left, _every


def alarm(seconds):
    return math.ceil(setitimer(0, int(seconds))[0])


def step(left):
    """How long to wait at most, so that the signal is seen when it is due."""
    if _at is None:
        return left
    until = _at - time.monotonic()
    if until <= 0 and _every:
        until = -(-until % _every) if -until % _every < 0.2 else _every - (-until % _every)
    return min(left, until) if until > 0 else min(left, 0.001) if until > -0.2 else left
