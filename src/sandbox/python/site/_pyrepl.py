"""Owns what pydoc and help() show their pages with: standard output. The interactive interpreter, whose package this is, has no terminal here."""

import sys
import types


def plain(text):
    """Text without what makes letters bold on a terminal."""
    import re

    return re.sub(".\b", "", text)


def plain_pager(text, title=""):
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(plain(text.encode(encoding, "backslashreplace").decode(encoding)))


def get_pager():
    return plain_pager


def pipe_pager(text, cmd, title=""):
    plain_pager(text)


__path__ = []
pager = types.ModuleType("_pyrepl.pager")
pager.plain, pager.plain_pager, pager.get_pager, pager.pipe_pager = plain, plain_pager, get_pager, pipe_pager
pager.tempfile_pager = lambda text, cmd, title="": plain_pager(text)
pager.tty_pager = plain_pager
sys.modules["_pyrepl.pager"] = pager
