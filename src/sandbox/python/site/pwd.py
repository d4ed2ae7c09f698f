"""Owns the module pwd for the one user of the sandbox."""

from collections import namedtuple

struct_passwd = namedtuple("struct_passwd", "pw_name pw_passwd pw_uid pw_gid pw_gecos pw_dir pw_shell")
_AGENT = struct_passwd("agent", "x", 1000, 1000, "", "/home/agent", "/bin/sh")


def getpwuid(uid):
    if uid != 1000:
        raise KeyError(f"getpwuid(): uid not found: {uid}")
    return _AGENT


def getpwnam(name):
    if name != "agent":
        raise KeyError(f"getpwnam(): name not found: {name!r}")
    return _AGENT


def getpwall():
    return [_AGENT]
