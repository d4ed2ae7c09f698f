"""Owns the module fcntl where nobody else could hold a lock: every lock is granted; never more than that."""

LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = 0, 1, 2, 3, 4, 5, 6, 7
F_RDLCK, F_WRLCK, F_UNLCK = 0, 1, 2
FD_CLOEXEC = 1
F_DUPFD_CLOEXEC = 1030


def fcntl(fd, cmd, arg=0):
    return 0 if isinstance(arg, int) else arg


def flock(fd, operation):
    return None


def lockf(fd, cmd, len=0, start=0, whence=0):
    return None


def ioctl(fd, request, arg=0, mutate_flag=True):
    raise OSError(25, "Inappropriate ioctl for device")
