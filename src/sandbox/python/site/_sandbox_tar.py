"""Owns the command tar of the sandbox's shell, over tarfile: creating, listing and extracting, with the options that scripts use."""

import fnmatch
import os
import re
import sys
import tarfile
import time

from _sandbox_tools import Failure, options

# The second line has no effect here: one user owns everything.
LETTERS = "ctxrvzjJaOhkm" "pPSon"
NAMES = (
    "create list extract get append verbose gzip bzip2 xz auto-compress to-stdout dereference keep-old-files touch wildcards no-wildcards no-recursion "
    "preserve-permissions same-permissions no-same-permissions no-same-owner same-owner numeric-owner absolute-names overwrite no-xattrs no-acls"
).split()
NAMES_WITH_VALUE = "file directory exclude exclude-from files-from strip-components owner group mode mtime sort format transform xform".split()


def tar(words):
    try:
        found, paths = options(_spelled_out(words), LETTERS, "fCTX", NAMES, NAMES_WITH_VALUE)
    except LookupError as error:
        raise Failure(f"tar: {error.args[0]}\nTry 'tar --help' or 'tar --usage' for more information.", 64) from None
    doing = [does for does, names in (("create", "c create"), ("list", "t list"), ("extract", "x extract get"), ("append", "r append")) if _has(found, names)]
    if len(doing) != 1:
        raise Failure("tar: You must specify one of the '-crtx' options\nTry 'tar --help' or 'tar --usage' for more information.")
    if _has(found, "J xz"):
        raise Failure("tar: the sandbox has no xz")
    for source in _all(found, "T files-from"):
        paths += _lines(source)
    job = _Job(found, paths)
    return getattr(job, doing[0])()


def _spelled_out(words):
    """The old form (`tar xzf a.tgz`): letters first, then the values they ask for in their order."""
    if not words or words[0].startswith("-"):
        return words
    letters, words = words[0], list(words[1:])
    asking = [letter for letter in letters if letter in "fCTX"]
    if len(asking) > len(words):
        raise Failure(f"tar: Old option '{asking[-1]}' requires an argument.", 64)
    front = [part for letter in asking for part in ("-" + letter, words.pop(0))]
    plain = "".join(letter for letter in letters if letter not in asking)
    return ([f"-{plain}"] if plain else []) + front + words


def _has(found, names):
    return any(name in found for name in names.split())


def _all(found, names):
    return [value for name in names.split() for value in found.get(name, [])]


def _lines(name):
    with sys.stdin if name == "-" else open(name) as source:
        return [line for line in source.read().split("\n") if line != ""]


class _Job:
    def __init__(self, found, paths):
        self.found = found
        self.paths = paths
        self.name = (_all(found, "f file") or ["-"])[-1]
        self.directory = (_all(found, "C directory") or ["."])[-1]
        self.excluded = [*_all(found, "exclude"), *(line for name in _all(found, "X exclude-from") for line in _lines(name))]
        self.verbose = _has(found, "v verbose")
        self.renames = [_renaming(rule) for rule in _all(found, "transform xform")]
        self.status = 0
        if not os.path.isdir(self.directory):
            raise Failure(f"tar: {self.directory}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now")

    def create(self):
        if not self.paths:
            raise Failure("tar: Cowardly refusing to create an empty archive\nTry 'tar --help' or 'tar --usage' for more information.")
        compression = self._compression()
        target = {"fileobj": sys.stdout.buffer, "mode": "w|" + compression} if self.name == "-" else {"name": self.name, "mode": "w:" + compression}
        return self._add(target)

    def append(self):
        return self._add({"name": self.name, "mode": "a:"})

    def _add(self, target):
        with tarfile.open(**target, dereference=_has(self.found, "h dereference")) as archive:
            for path in self.paths:
                full = os.path.join(self.directory, path)
                if not os.path.lexists(full):
                    self._complain(f"{path}: Cannot stat: No such file or directory")
                    continue
                archive.add(full, arcname=path, filter=self._added, recursive="no-recursion" not in self.found)
        return self._end()

    def _added(self, member):
        if not self._is_kept(member.name):
            return None
        if "mtime" in self.found:
            member.mtime = _time(self.found["mtime"][-1])
        if self.verbose:
            print(_shown(member), file=sys.stderr if self.name == "-" else sys.stdout)
        member.name = self._renamed(member.name)
        return member

    def _renamed(self, name):
        for rename in self.renames:
            name = rename(name)
        return name

    def list(self):
        for _, member in self._members():
            print(_long(member) if self.verbose else _shown(member))
        return self._end()

    def extract(self):
        strip = int((self.found.get("strip-components") or [0])[-1])
        to_stdout = _has(self.found, "O to-stdout")
        for archive, member in self._members():
            if self.verbose:
                print(_shown(member), file=sys.stderr if to_stdout else sys.stdout)
            if to_stdout:
                if member.isfile():
                    sys.stdout.buffer.write(archive.extractfile(member).read())
                continue
            parts = member.name.split("/")[strip:]
            if not parts:
                continue
            member.name = self._renamed("/".join(parts))
            if _has(self.found, "k keep-old-files") and not member.isdir() and os.path.lexists(os.path.join(self.directory, member.name)):
                self._complain(f"{member.name}: Cannot open: File exists")
                continue
            if _has(self.found, "m touch"):
                member.mtime = time.time()
            archive.extract(member, self.directory, filter="data")
        sys.stdout.flush()
        return self._end()

    def _members(self):
        """What is asked for, one after the other: the archive may be a stream."""
        source = {"fileobj": sys.stdin.buffer, "mode": "r|*"} if self.name == "-" else {"name": self.name, "mode": "r:*"}
        seen = set()
        try:
            archive = tarfile.open(**source)
        except FileNotFoundError:
            raise Failure(f"tar: {self.name}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now") from None
        except tarfile.ReadError:
            raise Failure("tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors") from None
        with archive:
            for member in archive:
                asked = [path for path in self.paths if self._is_asked(member.name, path)]
                seen.update(asked)
                if (asked or not self.paths) and self._is_kept(member.name):
                    yield archive, member
        for path in self.paths:
            if path not in seen:
                self._complain(f"{path}: Not found in archive")

    def _is_asked(self, name, path):
        plain = path.rstrip("/")
        return name == plain or name.startswith(plain + "/") or ("wildcards" in self.found and fnmatch.fnmatch(name, path))

    def _is_kept(self, path):
        parts = path.split("/")
        # A pattern may name a whole path, or any part of it with all that lies behind.
        tails = ["/".join(parts[at:end]) for at in range(len(parts)) for end in range(at + 1, len(parts) + 1)]
        return not any(fnmatch.fnmatch(tail, pattern.rstrip("/")) for pattern in self.excluded for tail in tails)

    def _compression(self):
        if _has(self.found, "z gzip"):
            return "gz"
        if _has(self.found, "j bzip2"):
            return "bz2"
        if not _has(self.found, "a auto-compress"):
            return ""
        return {".gz": "gz", ".tgz": "gz", ".bz2": "bz2", ".tbz2": "bz2"}.get(os.path.splitext(self.name)[1], "")

    def _complain(self, words):
        print(f"tar: {words}", file=sys.stderr)
        self.status = 2

    def _end(self):
        if self.status != 0:
            print("tar: Exiting with failure status due to previous errors", file=sys.stderr)
        return self.status


def _renaming(rule):
    """`s/OLD/NEW/flags` of sed, as far as names of files need it."""
    separator = rule[1:2] or "/"
    parts = rule[2:].split(separator)
    if rule[:1] != "s" or len(parts) < 3:
        raise Failure("tar: Invalid transform expression\ntar: Error is not recoverable: exiting now")
    old = re.sub(r"\\([(){}|+?])", lambda found: "\0" + found[1], parts[0])
    old = re.sub(r"(?<!\0)([(){}|+?])", r"\\\1", old).replace("\0", "")
    new = re.sub(r"(?<!\\)&", r"\\g<0>", parts[1])
    return lambda path: re.sub(old, new, path, count=0 if "g" in parts[2] else 1)


def _shown(member):
    return member.name + ("/" if member.isdir() else "")


def _long(member):
    kind = "d" if member.isdir() else "l" if member.issym() else "h" if member.islnk() else "-"
    bits = "".join(letter if member.mode >> (8 - at) & 1 else "-" for at, letter in enumerate("rwxrwxrwx"))
    owner = f"{member.uname or member.uid}/{member.gname or member.gid}"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(member.mtime))
    link = f" -> {member.linkname}" if member.issym() else f" link to {member.linkname}" if member.islnk() else ""
    return f"{kind}{bits} {owner} {member.size:>{max(1, 18 - len(owner))}} {when} {_shown(member)}{link}"


def _time(text):
    from datetime import datetime, timezone

    if text.startswith("@"):
        return int(text[1:])
    when = datetime.fromisoformat(text.replace(" UTC", "+00:00"))
    return int((when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp())
