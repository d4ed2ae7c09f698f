"""Owns how errors of the system read: with the numbers and words of Linux, not those of the C library beneath this Python."""

from sitecustomize import _error_slots

_text, _form = _error_slots

# By this library's number, that of Linux.
_LINUX = (
    0, 7, 13, 98, 99, 97, 11, 114, 9, 74, 16, 125, 10, 103, 111, 104, 35, 89, 33, 122, 17, 14, 27, 113, 43, 84, 115,
    4, 22, 5, 106, 21, 40, 24, 31, 90, 72, 36, 100, 102, 101, 23, 105, 19, 2, 8, 37, 67, 12, 42, 92, 28, 38, 107, 20,
    39, 131, 88, 0, 25, 6, 75, 130, 1, 32, 71, 93, 91, 34, 30, 29, 3, 116, 110, 26, 18,
)
_WORDS = {
    "Address in use": "Address already in use",
    "Address not available": "Cannot assign requested address",
    "Resource busy": "Device or resource busy",
    "No child process": "No child processes",
    "Connection aborted": "Software caused connection abort",
    "Resource deadlock would occur": "Resource deadlock avoided",
    "Domain error": "Numerical argument out of domain",
    "Quota exceeded": "Disk quota exceeded",
    "Host is unreachable": "No route to host",
    "Illegal byte sequence": "Invalid or incomplete multibyte or wide character",
    "Operation in progress": "Operation now in progress",
    "I/O error": "Input/output error",
    "Socket is connected": "Transport endpoint is already connected",
    "Symbolic link loop": "Too many levels of symbolic links",
    "No file descriptors available": "Too many open files",
    "Message too large": "Message too long",
    "Filename too long": "File name too long",
    "Connection reset by network": "Network dropped connection on reset",
    "Network unreachable": "Network is unreachable",
    "Out of memory": "Cannot allocate memory",
    "Socket not connected": "Transport endpoint is not connected",
    "Not a socket": "Socket operation on non-socket",
    "Not a tty": "Inappropriate ioctl for device",
    "Result not representable": "Numerical result out of range",
    "Invalid seek": "Illegal seek",
    "Operation timed out": "Connection timed out",
    "Cross-device link": "Invalid cross-device link",
    "Device timeout": "Timer expired",
    "Not supported": "Operation not supported",
    "Cannot send after socket shutdown": "Cannot send after transport endpoint shutdown",
}


def linux(error, number):
    """What Linux calls an error: number and words. None where the error is not the system's but one that a script made up."""
    from os import strerror

    words = error.strerror
    if type(number) is not int or not 0 < number < len(_LINUX):
        return None
    if words != strerror(number) and type(OSError(number, "")) is not type(error):
        return None
    return _LINUX[number] or number, _WORDS.get(words, words)


def text(self):
    """`OSError.__str__`."""
    found = linux(self, self.errno)
    if found is None:
        return _text(self)
    head = "[Errno %s] %s" % found
    if self.filename is None:
        return head
    if self.filename2 is None:
        return "%s: %r" % (head, self.filename)
    return "%s: %r -> %r" % (head, self.filename, self.filename2)


def form(self):
    """`OSError.__repr__`."""
    found = linux(self, self.errno)
    if found is None or len(self.args) != 2:
        return _form(self)
    return "%s(%r, %r)" % (type(self).__name__, *found)

