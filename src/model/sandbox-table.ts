/** Owns what the sandbox offers to scripts: Python modules, shell commands, Node.js modules. Data only; the packer says by it what is runnable. */
import { NODE_ABSENT } from "./node-absent.ts";

/** Python modules a script may import, by the first part of their names. A test imports each in the sandbox. */
export const PYTHON_MODULES: ReadonlySet<string> = new Set(
  (
    "__future__ _thread abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile " +
    "calendar cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib " +
    "contextvars copy copyreg csv dataclasses datetime dbm decimal difflib dis doctest email encodings enum errno " +
    "faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext " +
    "glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json " +
    "keyword linecache locale logging mailbox marshal math mimetypes mmap modulefinder multiprocessing netrc ntpath " +
    "nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib " +
    "posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc_data pyexpat queue quopri random re " +
    "reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtplib socket " +
    "socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess " +
    "symtable sys sysconfig tabnanny tarfile tempfile termios textwrap threading time timeit token tokenize tomllib " +
    "trace traceback tracemalloc tty types typing unicodedata unittest urllib uuid warnings wave weakref webbrowser " +
    "wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo"
  ).split(" "),
);

/** Commands that a shell script finds on its PATH; what the shell has built in is not among them. A test looks each up in the sandbox. */
export const SHELL_COMMANDS: ReadonlySet<string> = new Set(
  (
    "[ alias arch awk base32 base64 basename bash bc cat chmod cksum clear cmp column comm cp curl cut date dd diff " +
    "dirname du echo egrep env envsubst expand expr factor false fgrep file find fmt fold gawk getconf grep groups " +
    "gunzip gzip hd head help hexdump history hostname html-to-markdown iconv id install ionice join jq kill less ln " +
    "logname ls mawk md5sum mkdir mktemp more mv nice nl node nohup nproc numfmt od openssl paste printenv printf pwd " +
    "python python3 readlink realpath rev rg rm rmdir sed seq setsid sh sha1sum sha224sum sha256sum sha384sum " +
    "sha512sum shuf sleep sort split sqlite3 stat stdbuf strings stty sum sync tac tail tar tee test time timeout touch " +
    "tput tr tree true truncate tty ulimit umask unalias uname unexpand uniq unzip users wc wget which who whoami " +
    "xargs xxd yes yq zcat zip"
  ).split(" "),
);

/** Node.js modules a script may import, without `node:`. A test imports each in the sandbox. */
export const NODE_MODULES: ReadonlySet<string> = new Set(
  (
    "assert assert/strict async_hooks buffer child_process console constants crypto diagnostics_channel dns " +
    "dns/promises events fs fs/promises http https module net os path path/posix path/win32 perf_hooks process " +
    "punycode querystring readline readline/promises stream stream/consumers stream/promises stream/web " +
    "string_decoder sys timers timers/promises tls tty url util util/types v8 vm worker_threads zlib"
  ).split(" "),
);

/** Those that have to be asked for with `node:`; without it the name is that of a package. */
const NODE_PREFIXED: ReadonlySet<string> = new Set(["sea", "sqlite", "test", "test/reporters"]);

/** The name without `node:` of a module that is Node.js's own, whether the sandbox has it or not; null for any other. */
export function nodeModuleName(specifier: string): string | null {
  const name = specifier.replace(/^node:/, "");
  const isOwn = NODE_MODULES.has(name) || (NODE_ABSENT.has(name) && (name !== specifier || !NODE_PREFIXED.has(name)));
  return isOwn ? name : null;
}

/**
 * Functions of Node.js that fail when they are called, and what to use in place of each. An isolate cannot wait for a program without letting
 * go of its thread, so there is no synchronous way to start one.
 */
export const NODE_MISSING: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    "child_process",
    new Map([
      ["execSync", "await with promisify(exec)"],
      ["execFileSync", "await with promisify(execFile)"],
      ["spawnSync", "spawn, and its event close"],
      ["fork", "spawn"],
    ]),
  ],
]);

/** All together, as the packer takes them. */
export const SANDBOX_TABLE = {
  pythonModules: PYTHON_MODULES,
  shellCommands: SHELL_COMMANDS,
  nodeModules: NODE_MODULES,
  nodeMissing: NODE_MISSING,
};
