"""Owns the module grp for the one group of the sandbox."""

from collections import namedtuple

struct_group = namedtuple("struct_group", "gr_name gr_passwd gr_gid gr_mem")
_AGENT = struct_group("agent", "x", 1000, ["agent"])


def getgrgid(gid):
    if gid != 1000:
        raise KeyError(f"getgrgid(): gid not found: {gid}")
    return _AGENT


def getgrnam(name):
    if name != "agent":
        raise KeyError(f"getgrnam(): name not found: {name!r}")
    return _AGENT


def getgrall():
    return [_AGENT]
