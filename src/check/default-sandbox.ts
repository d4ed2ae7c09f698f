/** Owns what is provided to scripts when a check is given no other table. Data only. */
import { NODE_MODULES } from "../model/sandbox-table.ts";
import type { SandboxTable } from "./sandbox-needs.ts";

/** Python 3.13's library, without what a WebAssembly build lacks: ctypes, curses, lzma, sqlite3, tkinter, venv and the like. */
const PYTHON_MODULES = `
__future__ __main__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar
cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy
copyreg csv dataclasses datetime dbm decimal difflib dis doctest email encodings enum errno faulthandler fcntl filecmp
fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache locale logging mailbox
marshal math mimetypes mmap modulefinder multiprocessing netrc ntpath nturl2path numbers opcode operator optparse os
pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pwd py_compile
pyclbr pydoc pydoc_data pyexpat queue quopri random re reprlib resource rlcompleter runpy sched secrets select
selectors shelve shlex shutil signal site smtplib socket socketserver sre_compile sre_constants sre_parse ssl stat
statistics string stringprep struct subprocess symtable sys sysconfig tabnanny tarfile tempfile textwrap threading
time timeit token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid warnings
wave weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
`;

/** Commands of just-bash's browser build, those that the sandbox adds, and its programs. */
const SHELL_COMMANDS = `
cat ls mkdir rmdir touch rm cp mv ln chmod readlink head tail wc stat grep fgrep egrep rg sed awk sort uniq comm cut
paste tr rev nl fold expand unexpand strings split column join tee find basename dirname tree du env printenv xargs
clear jq base64 diff date sleep timeout seq expr md5sum sha1sum sha256sum file html-to-markdown which tac hostname
whoami od gzip gunzip zcat curl bash sh python3 python mktemp realpath uname id groups logname nproc arch tty sync
stty tput cmp install shuf envsubst xxd
`;

/** What the sandbox of this project provides. */
export const DEFAULT_SANDBOX: SandboxTable = {
  pythonModules: new Set(PYTHON_MODULES.trim().split(/\s+/)),
  shellCommands: new Set(SHELL_COMMANDS.trim().split(/\s+/)),
  nodeModules: NODE_MODULES,
};
