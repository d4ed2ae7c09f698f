"""Owns what makes CPython behave as on Linux inside the sandbox; imports nearly nothing, since every run pays for it."""

import _signal
import _thread
import os
import posix
import select
import sys
import time

sys.platform = "linux"
for _name in ("PYTHONHOME", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "_"):
    os.environ.pop(_name, None)


def _sleep(seconds):
    """Waits through poll(2), which gives the isolate to others meanwhile and ends with the run."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    deadline = time.monotonic() + seconds
    timers = sys.modules.get("_sandbox_timers")
    select.poll().poll((seconds if timers is None else timers.step(seconds)) * 1000)
    while (left := deadline - time.monotonic()) > 0:
        select.poll().poll(1 if timers is None else max(1, timers.step(left) * 1000))


time.sleep = _sleep


def _timer(name):
    def call(*args):
        import _sandbox_timers

        return getattr(_sandbox_timers, name)(*args)

    call.__name__ = call.__qualname__ = name
    return call


_signal.alarm, _signal.setitimer, _signal.getitimer = map(_timer, ("alarm", "setitimer", "getitimer"))
_signal.ITIMER_REAL, _signal.ITIMER_VIRTUAL, _signal.ITIMER_PROF, _signal.ItimerError = 0, 1, 2, OSError


class _Lock:
    """A lock where there is one thread: waiting for a held one would never end."""

    __slots__ = ("_held", "__weakref__")

    def __init__(self):
        self._held = False

    def acquire(self, blocking=True, timeout=-1):
        if not self._held:
            self._held = True
            return True
        if not blocking:
            return False
        if timeout is not None and timeout >= 0:
            _sleep(timeout)
            return False
        raise RuntimeError("deadlock: this lock is held and there is no other thread in the sandbox to release it")

    def release(self):
        if not self._held:
            raise RuntimeError("release unlocked lock")
        self._held = False

    def locked(self):
        return self._held

    def _at_fork_reinit(self):
        self._held = False

    acquire_lock = acquire
    release_lock = release
    locked_lock = locked
    __enter__ = acquire

    def __exit__(self, *details):
        self.release()


_thread.allocate_lock = _thread.allocate = _thread.lock = _thread.LockType = _Lock

_uname = posix.uname_result(("Linux", "sandbox", "6.6.0", "#1 SMP", "x86_64"))
os.uname = posix.uname = lambda: _uname
os.cpu_count = lambda: 1
if hasattr(os, "process_cpu_count"):
    os.process_cpu_count = os.cpu_count
os.getlogin = lambda: "agent"
os.getuid = os.geteuid = os.getgid = os.getegid = lambda: 1000
os.getgroups = lambda: [1000]
os.getloadavg = lambda: (0.0, 0.0, 0.0)
os.sched_getaffinity = lambda pid: {0}
os.getpgid = lambda pid: pid
os.nice = lambda increment: 0
os.killpg = lambda pgid, signal: os.kill(pgid, signal)
os._sandbox_system = os.system


def _fork():
    raise OSError(52, "Function not implemented: an interpreter of the sandbox cannot be copied, use subprocess")


os.fork = posix.fork = _fork
_mask = 0o022


def _umask(mask):
    global _mask
    import _posixsubprocess

    before, _mask = _mask, mask & 0o777
    _posixsubprocess.request(do="umask", mask=_mask)
    return before


os.umask = posix.umask = _umask


def _link(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
    import _posixsubprocess

    number = _posixsubprocess.request(do="link", **{"from": os.fsdecode(src), "to": os.fsdecode(dst)})
    if number:
        raise OSError(number - _FAILED, os.strerror(number - _FAILED), src, None, dst)


os.link = posix.link = _link


def _get_terminal_size(fd=1):
    raise OSError(59, "Inappropriate ioctl for device")


os.get_terminal_size = _get_terminal_size


def _flush(number, frame):
    """The run is stopped: what was printed goes out before the interpreter is ended (python/last-moment.ts)."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


_signal.signal(10, _flush)


def _system(command):
    import _posixsubprocess

    sys.stdout.flush()
    sys.stderr.flush()
    return _posixsubprocess.request(do="shell", command=os.fsdecode(command), env=dict(os.environ))


os.system = posix.system = _system


def _error_text(self):
    import _sandbox_errors

    return _sandbox_errors.text(self)


def _error_form(self):
    import _sandbox_errors

    return _sandbox_errors.form(self)


def _change_errors():
    """Writes into the type's dictionary, which only the collector hands out, then assigns, so that the slots are set by it."""
    import gc

    names = gc.get_referents(OSError.__dict__)[0]
    # The sandbox makes the type changeable for this once: python/errors.ts.
    os.fchmod(id(OSError), 0x4F58)
    names["__str__"] = OSError.__str__ = _error_text
    names["__repr__"] = OSError.__repr__ = _error_form


_error_slots = OSError.__str__, OSError.__repr__
_change_errors()

_FAILED = 10_000_000
_RUNNING = 20_000_000


def _waitpid(pid, options):
    import _posixsubprocess

    if pid >= 900_000:
        return pid, 127 << 8
    hang = not options & 1
    waits_for_alarm = hang and "_sandbox_timers" in sys.modules
    status = _posixsubprocess.request(do="wait", pid=pid, hang=1 if hang and not waits_for_alarm else 0)
    while waits_for_alarm and status == _RUNNING:
        _sleep(0.002)
        status = _posixsubprocess.request(do="wait", pid=pid, hang=0)
    if status == _RUNNING:
        return 0, 0
    if status >= _FAILED:
        raise ChildProcessError(status - _FAILED, "No child processes")
    return pid, status


def _kill(pid, signal):
    import _posixsubprocess

    if pid == os.getpid():
        handler = _signal.getsignal(signal) if signal else _signal.SIG_IGN
        if callable(handler):
            return handler(int(signal), sys._getframe(1))
        if handler == _signal.SIG_IGN:
            return None
        raise SystemExit(128 + signal)
    if _posixsubprocess.request(do="kill", pid=pid, signal=int(signal)) >= _FAILED:
        raise ProcessLookupError(3, "No such process")


def _tzset():
    if os.environ.get("TZ", "UTC").lstrip(":") not in ("", "UTC", "UTC0", "GMT", "Etc/UTC", "Etc/GMT", "Zulu"):
        raise RuntimeError("local time is UTC in the sandbox: use zoneinfo.ZoneInfo(os.environ['TZ'])")


time.tzset = _tzset
# No more is known than how long it all takes.
time.process_time = time.thread_time = time.perf_counter
time.process_time_ns = time.thread_time_ns = time.perf_counter_ns
time.tzname = ("UTC", "UTC")
os.waitpid = posix.waitpid = _waitpid
os.kill = posix.kill = _kill
os.WNOHANG = posix.WNOHANG = 1
os.WIFSTOPPED = posix.WIFSTOPPED = lambda status: False
os.WSTOPSIG = posix.WSTOPSIG = lambda status: 0
os.WIFEXITED = posix.WIFEXITED = lambda status: status & 0x7F == 0
os.WEXITSTATUS = posix.WEXITSTATUS = lambda status: (status >> 8) & 0xFF
os.WIFSIGNALED = posix.WIFSIGNALED = lambda status: status & 0x7F != 0
os.WTERMSIG = posix.WTERMSIG = lambda status: status & 0x7F
os.waitstatus_to_exitcode = posix.waitstatus_to_exitcode = (
    lambda status: -(status & 0x7F) if status & 0x7F else (status >> 8) & 0xFF
)


class _Patcher:
    """Finds modules as usual and hands some of them to a function of `_sandbox_patches` once they have run."""

    _names = frozenset((
        "socket", "threading", "queue", "_queue", "concurrent.futures.thread", "concurrent.futures.process", "multiprocessing.pool",
        "multiprocessing.context", "asyncio.unix_events", "hashlib", "platform", "socketserver", "urllib.request", "zoneinfo._tzpath",
    ))

    def find_spec(self, name, path=None, target=None):
        if name not in self._names:
            return None
        for finder in sys.meta_path:
            if finder is self:
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._wrap(name, spec.loader)
                return spec
        return None

    def _wrap(self, name, loader):
        run = getattr(loader, "exec_module", None)
        if run is None:
            return

        def exec_module(module):
            run(module)
            import _sandbox_patches

            _sandbox_patches.patch(name, module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            pass


sys.meta_path.insert(0, _Patcher())


class _Absent:
    """Asked last: tells why a module is missing that no package could bring. Who only asks whether it is there hears that it is not."""

    _standard = frozenset((
        "_ctypes", "_curses", "_dbm", "_gdbm", "_lzma", "_multiprocessing", "_posixshmem", "_tkinter", "curses", "ensurepip", "readline",
        "syslog", "tkinter", "turtle", "venv",
    ))
    _packages = frozenset((
        "PIL", "cryptography", "cv2", "fitz", "lightgbm", "lxml", "matplotlib", "numba", "numpy", "onnxruntime", "pandas", "playwright", "polars",
        "psycopg2", "pyarrow", "pydantic", "pydantic_core", "scipy", "skimage", "sklearn", "spacy", "tensorflow", "tokenizers", "torch",
        "torchvision", "transformers", "xgboost",
    ))

    def find_spec(self, name, path=None, target=None):
        if path is not None or sys._getframe(2).f_code.co_name != "_find_and_load_unlocked":
            return None
        if name in self._standard:
            why = "the sandbox runs no compiled code but Python's own, and has no terminal"
        elif name in self._packages:
            why = "it has compiled parts, and the sandbox runs packages of pure Python only"
        else:
            return None
        raise ModuleNotFoundError(f"No module named {name!r}: {why}", name=name)


sys.meta_path.append(_Absent())


def _find_script(path):
    """What Python itself says of a script that is not there has the numbers of the C library beneath it."""
    try:
        os.stat(path)
    except OSError as error:
        error.filename = None
        sys.stderr.write(f"{sys.executable}: can't open file {os.path.abspath(path)!r}: {error}\n")
        sys.stderr.flush()
        os._exit(2)


if not sys.argv[0].startswith("-") and sys.argv[0]:
    _find_script(sys.argv[0])
