"""Owns changes to modules of the standard library that assume threads, real sockets or forks; never imports one by itself."""

import sys

_SHUTDOWN = 0x4F58


def patch(name, module):
    """Changes a module that has just run."""
    change = globals().get("_" + name.replace(".", "_"))
    if change is not None:
        change(module)


def _socket(module):
    cls = module.socket
    cls.setsockopt = lambda self, *args: None
    cls.shutdown = lambda self, how: self.getsockopt(_SHUTDOWN, how) and None
    constants = {
        "SHUT_RD": 0, "SHUT_WR": 1, "SHUT_RDWR": 2, "SO_REUSEADDR": 2, "SO_KEEPALIVE": 9, "SO_ERROR": 4, "SO_TYPE": 3,
        "SO_SNDBUF": 7, "SO_RCVBUF": 8, "SO_BROADCAST": 6, "SO_LINGER": 13, "SO_REUSEPORT": 15, "SOL_SOCKET": 1, "SOMAXCONN": 128,
        "IPPROTO_TCP": 6, "IPPROTO_UDP": 17, "IPPROTO_IPV6": 41, "IPV6_V6ONLY": 26, "TCP_NODELAY": 1, "TCP_KEEPIDLE": 4,
        "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 6, "TCP_USER_TIMEOUT": 18, "MSG_PEEK": 2, "MSG_WAITALL": 256, "MSG_DONTWAIT": 64,
        "NI_NUMERICHOST": 1, "NI_NUMERICSERV": 2, "AI_PASSIVE": 1,
    }
    for key, value in constants.items():
        if not hasattr(module, key):
            setattr(module, key, value)
    module.has_ipv6 = False
    module.gethostname = lambda: "sandbox"
    module.getfqdn = lambda name="": name or "sandbox"

    def socketpair(family=None, type=module.SOCK_STREAM, proto=0):
        listener = module.socket(module.AF_INET, module.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        here = module.socket(module.AF_INET, module.SOCK_STREAM)
        here.connect(listener.getsockname())
        there, _ = listener.accept()
        listener.close()
        return here, there

    module.socketpair = socketpair
    for name, nothing in (("recv", b""), ("recv_into", 0)):
        setattr(cls, name, _receiving(getattr(cls, name), nothing))


# Servers that serve in threads; see _socketserver.
_served = []
_is_serving = False
# Threads that run within each other.
_depth = 0


def _receiving(receive, nothing):
    def call(self, *args):
        if not _served:
            return receive(self, *args)
        if not _is_serving:
            _serve_waiting()
        elif _is_served(self) and not _can_read(self):
            # Whoever would send more waits for this answer.
            return nothing
        return receive(self, *args)

    return call


def _can_read(what):
    import select

    return bool(select.select([what], [], [], 0)[0])


def _is_served(connection):
    port = connection.getsockname()[1]
    return any(server.server_address[1] == port for server in _served)


def _serve_waiting():
    """Servers in threads take what has come in."""
    global _is_serving
    _is_serving = True
    try:
        for server in list(_served):
            while server in _served and server.fileno() >= 0 and _can_read(server):
                server._handle_request_noblock()
            server.service_actions()
    finally:
        _is_serving = False


def _socketserver(module):
    cls = module.BaseServer
    serve, stop = cls.serve_forever, cls.shutdown

    def serve_forever(self, poll_interval=0.5):
        """In a thread it is over at once: the server answers whenever the script waits for it."""
        if _depth == 0:
            return serve(self, poll_interval)
        _served.append(self)

    def shutdown(self):
        if self in _served:
            _served.remove(self)
        else:
            stop(self)

    cls.serve_forever = serve_forever
    cls.shutdown = shutdown


def _urllib_request(module):
    plain = module.AbstractHTTPHandler.do_open

    def do_open(self, http_class, req, **details):
        """A connection is refused once the request is known: then, too, it is one that was not made."""
        try:
            return plain(self, http_class, req, **details)
        except ConnectionRefusedError as error:
            raise module.URLError(error) from None

    module.AbstractHTTPHandler.do_open = do_open


def _threading(module):
    import _thread

    module._allocate_lock = module.Lock = _thread.allocate_lock
    module._CRLock = None
    module.RLock = module._PyRLock

    def start(self):
        """Runs the target at once: there is one thread."""
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        self._started.set()
        global _depth
        _depth += 1
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException:
            module.excepthook(module.ExceptHookArgs((*sys.exc_info(), self)))
        finally:
            _depth -= 1
        self._sandbox_done = True

    def join(self, timeout=None):
        if not self._started.is_set():
            raise RuntimeError("cannot join thread before it is started")

    module.Thread.start = start
    module.Thread.join = join
    module.Thread.is_alive = lambda self: self._started.is_set() and not getattr(self, "_sandbox_done", False) and self is module.main_thread()

    def timer_run(self):
        self.finished.wait(self.interval)
        if not self.finished.is_set():
            self.function(*self.args, **self.kwargs)
        self.finished.set()

    module.Timer.run = timer_run


def _queue(module):
    if hasattr(module, "_PySimpleQueue"):
        module.SimpleQueue = module._PySimpleQueue


def _concurrent_futures_thread(module):
    from concurrent.futures import _base

    def submit(self, fn, /, *args, **kwargs):
        """Runs the call at once."""
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = _base.Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._shutdown = True

    module.ThreadPoolExecutor.submit = submit
    module.ThreadPoolExecutor.shutdown = shutdown


def _concurrent_futures_process(module):
    from concurrent.futures import thread

    class ProcessPoolExecutor(thread.ThreadPoolExecutor):
        def __init__(self, max_workers=None, mp_context=None, initializer=None, initargs=(), **rest):
            super().__init__(max_workers or 1)

    module.ProcessPoolExecutor = ProcessPoolExecutor


def _multiprocessing_pool(module):
    class _Result:
        def __init__(self, call):
            self._error = None
            try:
                self._value = call()
            except BaseException as error:
                self._error = error

        def get(self, timeout=None):
            if self._error is not None:
                raise self._error
            return self._value

        def wait(self, timeout=None):
            pass

        def ready(self):
            return True

        def successful(self):
            return self._error is None

    class Pool:
        """Does at once, in this process, what it is given."""

        def __init__(self, processes=None, initializer=None, initargs=(), *rest, **more):
            if initializer is not None:
                initializer(*initargs)

        def map(self, func, iterable, chunksize=None):
            return [func(item) for item in iterable]

        def starmap(self, func, iterable, chunksize=None):
            return [func(*item) for item in iterable]

        def imap(self, func, iterable, chunksize=1):
            return map(func, iterable)

        imap_unordered = imap

        def apply(self, func, args=(), kwds={}):
            return func(*args, **kwds)

        def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
            result = _Result(lambda: func(*args, **kwds))
            if callback is not None and result.successful():
                callback(result.get())
            return result

        def map_async(self, func, iterable, chunksize=None, callback=None, error_callback=None):
            return _Result(lambda: [func(item) for item in iterable])

        def close(self):
            pass

        terminate = join = close

        def __enter__(self):
            return self

        def __exit__(self, *details):
            pass

    module.Pool = module.ThreadPool = Pool


def _asyncio_unix_events(module):
    module.can_use_pidfd = lambda: False

    def add_child_handler(self, pid, callback, *args):
        import os
        from asyncio import events

        loop = events.get_running_loop()

        def poll():
            done, status = os.waitpid(pid, os.WNOHANG)
            if done == 0:
                loop.call_later(0.005, poll)
            else:
                callback(pid, os.waitstatus_to_exitcode(status), *args)

        loop.call_soon(poll)

    watcher = getattr(module, "ThreadedChildWatcher", None) or getattr(module, "_ThreadedChildWatcher", None)
    if watcher is not None:
        watcher.add_child_handler = add_child_handler


def _hashlib(module):
    if hasattr(module, "pbkdf2_hmac"):
        return

    def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
        import hmac

        size = module.new(hash_name).digest_size
        dklen = dklen or size
        out = b""
        block = 0
        while len(out) < dklen:
            block += 1
            last = hmac.new(password, salt + block.to_bytes(4, "big"), hash_name).digest()
            total = int.from_bytes(last, "big")
            for _ in range(iterations - 1):
                last = hmac.new(password, last, hash_name).digest()
                total ^= int.from_bytes(last, "big")
            out += total.to_bytes(size, "big")
        return out[:dklen]

    module.pbkdf2_hmac = pbkdf2_hmac


def _platform(module):
    module.libc_ver = lambda *args, **kwargs: ("glibc", "2.36")


def _zoneinfo__tzpath(module):
    def available_timezones():
        """Names only: opening a zone's file makes it, which takes its time."""
        import os

        zones = set()
        for root in module.TZPATH:
            for directory, _, names in os.walk(root):
                prefix = os.path.relpath(directory, root)
                zones.update(name if prefix == "." else f"{prefix}/{name}" for name in names if "." not in name)
        return zones

    module.available_timezones = available_timezones
