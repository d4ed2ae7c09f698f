"""Owns the module resource where limits are the sandbox's: they can be read and asked for, never changed."""

from collections import namedtuple

RLIM_INFINITY = -1
RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_AS = range(10)
RUSAGE_SELF, RUSAGE_CHILDREN = 0, -1
error = OSError
struct_rusage = namedtuple(
    "struct_rusage",
    "ru_utime ru_stime ru_maxrss ru_ixrss ru_idrss ru_isrss ru_minflt ru_majflt ru_nswap ru_inblock ru_oublock ru_msgsnd ru_msgrcv ru_nsignals ru_nvcsw ru_nivcsw",
)


def getrlimit(resource):
    return (RLIM_INFINITY, RLIM_INFINITY)


def setrlimit(resource, limits):
    return None


def getrusage(who):
    import time

    return struct_rusage(time.process_time(), 0.0, 32768, *([0] * 13))


def getpagesize():
    return 65536
