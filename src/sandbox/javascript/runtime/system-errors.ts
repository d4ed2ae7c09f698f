/** Owns the numbers and words of errors of the operating system, as Linux and Node.js have them; never when one happens. */

/** Name, number and, where Node.js has some, words: first those that the system is asked for, then what else Node.js names. */
const LINES = `
E2BIG 7 argument list too long
EACCES 13 permission denied
EADDRINUSE 98 address already in use
EADDRNOTAVAIL 99 address not available
EAFNOSUPPORT 97 address family not supported
EAGAIN 11 resource temporarily unavailable
EALREADY 114 connection already in progress
EBADF 9 bad file descriptor
EBADMSG 74
EBUSY 16 resource busy or locked
ECANCELED 125 operation canceled
ECHILD 10
ECONNABORTED 103 software caused connection abort
ECONNREFUSED 111 connection refused
ECONNRESET 104 connection reset by peer
EDEADLK 35
EDESTADDRREQ 89 destination address required
EDOM 33
EDQUOT 122
EEXIST 17 file already exists
EFAULT 14 bad address in system call argument
EFBIG 27 file too large
EHOSTUNREACH 113 host is unreachable
EIDRM 43
EILSEQ 84 illegal byte sequence
EINPROGRESS 115
EINTR 4 interrupted system call
EINVAL 22 invalid argument
EIO 5 i/o error
EISCONN 106 socket is already connected
EISDIR 21 illegal operation on a directory
ELOOP 40 too many symbolic links encountered
EMFILE 24 too many open files
EMLINK 31 too many links
EMSGSIZE 90 message too long
EMULTIHOP 72
ENAMETOOLONG 36 name too long
ENETDOWN 100 network is down
ENETRESET 102
ENETUNREACH 101 network is unreachable
ENFILE 23 file table overflow
ENOBUFS 105 no buffer space available
ENODATA 61 no data available
ENODEV 19 no such device
ENOENT 2 no such file or directory
ENOEXEC 8 exec format error
ENOLCK 37
ENOLINK 67
ENOMEM 12 not enough memory
ENOMSG 42
ENOPROTOOPT 92 protocol not available
ENOSPC 28 no space left on device
ENOSR 63
ENOSTR 60
ENOSYS 38 function not implemented
ENOTCONN 107 socket is not connected
ENOTDIR 20 not a directory
ENOTEMPTY 39 directory not empty
ENOTSOCK 88 socket operation on non-socket
ENOTSUP 95 operation not supported on socket
ENOTTY 25 inappropriate ioctl for device
ENXIO 6 no such device or address
EOPNOTSUPP 95
EOVERFLOW 75 value too large for defined data type
EPERM 1 operation not permitted
EPIPE 32 broken pipe
EPROTO 71 protocol error
EPROTONOSUPPORT 93 protocol not supported
EPROTOTYPE 91 protocol wrong type for socket
ERANGE 34 result too large
EROFS 30 read-only file system
ESPIPE 29 invalid seek
ESRCH 3 no such process
ESTALE 116
ETIME 62
ETIMEDOUT 110 connection timed out
ETXTBSY 26 text file is busy
EWOULDBLOCK 11
EXDEV 18 cross-device link not permitted
EAI_ADDRFAMILY 3000 address family not supported
EAI_AGAIN 3001 temporary failure
EAI_BADFLAGS 3002 bad ai_flags value
EAI_BADHINTS 3013 invalid value for hints
EAI_CANCELED 3003 request canceled
EAI_FAIL 3004 permanent failure
EAI_FAMILY 3005 ai_family not supported
EAI_MEMORY 3006 out of memory
EAI_NODATA 3007 no address
EAI_NONAME 3008 unknown node or service
EAI_OVERFLOW 3009 argument buffer overflow
EAI_PROTOCOL 3014 resolved protocol is unknown
EAI_SERVICE 3010 service not available for socket type
EAI_SOCKTYPE 3011 socket type not supported
ECHARSET 4080 invalid Unicode character
ENONET 64 machine is not on the network
ESHUTDOWN 108 cannot send after transport endpoint shutdown
UNKNOWN 4094 unknown error
EOF 4095 end of file
EHOSTDOWN 112 host is down
EREMOTEIO 121 remote I/O error
EFTYPE 4028 inappropriate file type or format
ESOCKTNOSUPPORT 94 socket type not supported
EUNATCH 49 protocol driver not attached`;

/** How many of them `os.constants.errno` has. */
const OF_SYSTEM = 79;

interface Fact {
  readonly name: string;
  readonly number: number;
  readonly words: string;
}

const FACTS: readonly Fact[] = LINES.trim()
  .split("\n")
  .map((line) => {
    const [name = "", number = "", ...words] = line.split(" ");
    return { name, number: Number(number), words: words.join(" ") };
  });

/** `os.constants.errno` */
export function errorNumbers(): Record<string, number> {
  return Object.fromEntries(FACTS.slice(0, OF_SYSTEM).map(({ name, number }) => [name, number]));
}

const named = () => FACTS.filter(({ words }) => words !== "");

/** `util.getSystemErrorMap` */
export function getSystemErrorMap(): Map<number, [name: string, words: string]> {
  return new Map(named().map(({ name, number, words }) => [-number, [name, words]]));
}

/** `util.getSystemErrorName` */
export function getSystemErrorName(number: number): string {
  return named().find((fact) => fact.number === -number)?.name ?? `Unknown system error ${number}`;
}

/** `util.getSystemErrorMessage` */
export function getSystemErrorMessage(number: number): string {
  return named().find((fact) => fact.number === -number)?.words ?? `Unknown system error ${number}`;
}
