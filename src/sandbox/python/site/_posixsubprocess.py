"""Owns starting processes for the module subprocess: programs of the sandbox, never of a host."""

import json
import os

_MARK = "\x01box:"
_FAILED = 10_000_000
# Process ids of children that never were; waiting for them finds them ended.
_never_was = 900_000


def request(**what):
    """Asks the sandbox outside of CPython; gives a number."""
    return os._sandbox_system(_MARK + json.dumps(what))


def fork_exec(
    args, executable_list, close_fds, pass_fds, cwd, env_list,
    p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, errpipe_read, errpipe_write, *rest,
):
    global _never_was
    env = dict(os.environ)
    if env_list is not None:
        env = dict(os.fsdecode(item).split("=", 1) for item in env_list)
    pid = request(
        do="spawn",
        args=[os.fsdecode(word) for word in args],
        executables=[os.fsdecode(path) for path in executable_list],
        cwd=None if cwd is None else os.fsdecode(cwd),
        env=env,
        fds=[p2cread, c2pwrite, errwrite],
    )
    if pid < _FAILED:
        return pid
    no_directory = cwd is not None and not os.path.isdir(cwd)
    os.write(errpipe_write, b"OSError:%x:%s" % (pid - _FAILED, b"noexec:chdir" if no_directory else b""))
    _never_was += 1
    return _never_was
