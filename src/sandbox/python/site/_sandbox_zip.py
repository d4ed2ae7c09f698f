"""Owns the commands zip and unzip of the sandbox's shell, over zipfile, with the options that scripts use."""

import fnmatch
import os
import sys
import time
import zipfile
import zlib

from _sandbox_tools import Failure, options

NO_ARCHIVE = """  End-of-central-directory signature not found.  Either this file is not
  a zipfile, or it constitutes one disk of a multi-part archive.  In the
  latter case the central directory and zipfile comment will be found on
  the last disk(s) of this archive."""
ZIP_NAMES = "recurse-paths junk-paths quiet no-dir-entries move delete update freshen no-extra symlinks".split()


def zip(words):
    words, excluded = _without_list(words, "-x", "-i")
    try:
        found, rest = options(words, "rjqDmdufXyov@0123456789", "b", ZIP_NAMES, ("exclude",))
    except LookupError as error:
        raise Failure(f"zip error: Invalid command arguments ({error.args[0]})", 16) from None
    excluded += found.get("exclude", [])
    has = lambda letter, name: letter in found or name in found  # noqa: E731
    if "@" in found:
        rest += [line for line in sys.stdin.read().split("\n") if line != ""]
    if not rest:
        raise Failure("zip error: Nothing to do!", 12)
    name, paths = rest[0], rest[1:]
    name = name if name == "-" or os.path.splitext(name)[1] else name + ".zip"
    old = _entries(name)
    quiet = has("q", "quiet")
    if has("d", "delete"):
        return _delete(name, old, paths, quiet)
    says = sys.stderr if name == "-" else sys.stdout
    added, missing = _chosen(paths, excluded, has("r", "recurse-paths"), "no" if has("D", "no-dir-entries") or has("j", "junk-paths") else "yes")
    added = [path for path in added if name == "-" or os.path.abspath(path) != os.path.abspath(name)]
    if not quiet:
        for path in missing:
            print(f"\tzip warning: name not matched: {path}", file=says)
    if has("u", "update") or has("f", "freshen"):
        added = [path for path in added if _is_newer(path, old, "only" if has("f", "freshen") else "also")]
        if not added:
            return 12
    if not added:
        print(f"\nzip error: Nothing to do! ({name})", file=says)
        return 12
    level = max((int(letter) for letter in found if letter.isdigit()), default=6)
    new = {}
    for path in added:
        entry = _entry(path, os.path.basename(path) if has("j", "junk-paths") else path, level)
        new[entry[0].filename] = entry
        if not quiet:
            print(_told("updating" if entry[0].filename in old else "  adding", *entry), file=says)
    _write(name, {**old, **new})
    if has("m", "move"):
        for path in reversed(added):
            os.rmdir(path) if path.endswith("/") else os.remove(path)
    return 0


def _without_list(words, *options_with_list):
    """`-x` takes all words up to the next option."""
    kept, listed, taking = [], [], False
    for word in words:
        if word == "-i":
            raise Failure("zip error: Invalid command arguments (the sandbox's zip has no -i)", 16)
        if word in options_with_list:
            taking = True
        elif taking and not word.startswith("-"):
            listed.append(word)
        else:
            taking = taking and word == "@"
            kept.append(word)
    return kept, listed


def _entries(name):
    if name == "-" or not os.path.exists(name):
        return {}
    with zipfile.ZipFile(name) as archive:
        return {info.filename: (info, archive.read(info)) for info in archive.infolist()}


def _delete(name, old, patterns, quiet):
    gone = [entry for entry in old if any(fnmatch.fnmatch(entry, pattern) for pattern in patterns)]
    if not gone:
        print(f"\nzip error: Nothing to do! ({name})")
        return 12
    for entry in gone:
        if not quiet:
            print(f"deleting: {entry}")
    _write(name, {entry: kept for entry, kept in old.items() if entry not in gone})
    return 0


def _chosen(paths, excluded, recursive, directories):
    chosen = []

    def take(path):
        if os.path.isdir(path):
            if directories == "yes" and os.path.normpath(path) != ".":
                chosen.append(path.rstrip("/") + "/")
            if recursive:
                for one in sorted(os.listdir(path)):
                    take(os.path.join(path, one))
        else:
            chosen.append(path)

    for path in paths:
        if os.path.lexists(path):
            take(path)
    is_excluded = lambda path: any(fnmatch.fnmatch(os.path.normpath(path), one) or fnmatch.fnmatch(path, one) for one in excluded)  # noqa: E731
    return [path for path in dict.fromkeys(chosen) if not is_excluded(path)], [path for path in paths if not os.path.lexists(path)]


def _is_newer(path, old, new):
    name = _name_of(path)
    if name not in old:
        return new == "also"
    *day, seconds = zipfile.ZipInfo.from_file(path).date_time
    # Archives count two seconds at a time.
    return (*day, seconds // 2 * 2) > old[name][0].date_time


def _name_of(path):
    name = os.path.normpath(path).lstrip("/")
    return name + "/" if path.endswith("/") else name


def _entry(path, name, level):
    info = zipfile.ZipInfo.from_file(path, _name_of(name))
    if path.endswith("/"):
        return info, b""
    with open(path, "rb") as file:
        data = file.read()
    packed = zlib.compressobj(level, zlib.DEFLATED, -15)
    size = len(packed.compress(data) + packed.flush()) if level > 0 else len(data)
    info.compress_type = zipfile.ZIP_DEFLATED if size < len(data) else zipfile.ZIP_STORED
    # Told before it is written.
    info.compress_size = min(size, len(data))
    info.file_size = len(data)
    return info, data


def _told(what, info, data):
    if info.compress_type == zipfile.ZIP_STORED:
        return f"{what}: {info.filename} (stored 0%)"
    return f"{what}: {info.filename} (deflated {int(100 - 100 * info.compress_size / len(data) + 0.5)}%)"


def _write(name, entries):
    """Writes the archive anew beside the old one: what fails in the middle leaves that as it was."""
    if name == "-":
        with zipfile.ZipFile(sys.stdout.buffer, "w") as archive:
            _put(archive, entries)
        return
    part = f"{name}.part"
    with zipfile.ZipFile(part, "w") as archive:
        _put(archive, entries)
    os.replace(part, name)


def _put(archive, entries):
    for info, data in entries.values():
        archive.writestr(info, data, info.compress_type)


def unzip(words):
    words, excluded = _without_list(words, "-x")
    try:
        found, rest = options(words, "oqnjplctvZ1uaLCUX", "dP")
    except LookupError as error:
        raise Failure(f"unzip: {error.args[0]}", 10) from None
    if not rest:
        raise Failure("unzip: no archive given", 10)
    name, wanted = rest[0], rest[1:]
    if not os.path.exists(name):
        if not os.path.exists(name + ".zip"):
            raise Failure(f"unzip:  cannot find or open {name}, {name}.zip or {name}.ZIP.", 9)
        name += ".zip"
    try:
        archive = zipfile.ZipFile(name)
    except zipfile.BadZipFile:
        head = f"[{name}]" if "q" in found else f"Archive:  {name}"
        raise Failure(f"{head}\n{NO_ARCHIVE}\nunzip:  cannot find zipfile directory in one of {name} or\n        {name}.zip, and cannot find {name}.ZIP, period.", 9) from None
    with archive:
        matches = lambda entry, patterns: any(fnmatch.fnmatch(entry.filename, pattern) for pattern in patterns)  # noqa: E731
        entries = [one for one in archive.infolist() if (not wanted or matches(one, wanted)) and not matches(one, excluded)]
        is_silent = "q" in found or "p" in found or "Z" in found
        if not is_silent:
            print(f"Archive:  {name}")
        missing = [pattern for pattern in wanted if not any(fnmatch.fnmatch(one.filename, pattern) for one in archive.infolist())]
        status = _serve(archive, name, entries, found)
        for pattern in missing:
            print(f"caution: filename not matched:  {pattern}", file=sys.stderr)
        return 11 if missing else status


def _serve(archive, name, entries, found):
    if "Z" in found or "1" in found:
        for one in entries:
            print(one.filename)
        return 0
    if "l" in found or "v" in found:
        return _list(entries)
    if "t" in found:
        return _test(archive, name, entries, "q" in found)
    if "p" in found or "c" in found:
        for one in entries:
            sys.stdout.buffer.write(archive.read(one))
        sys.stdout.flush()
        return 0
    return _extract(archive, entries, found)


def _list(entries):
    print("  Length      Date    Time    Name\n---------  ---------- -----   ----")
    for one in entries:
        date = "%04d-%02d-%02d %02d:%02d" % one.date_time[:5]
        print(f"{one.file_size:9}  {date}   {one.filename}")
    count = f"{len(entries)} file{'' if len(entries) == 1 else 's'}"
    print(f"---------                     -------\n{sum(one.file_size for one in entries):9}                     {count}")
    return 0


def _test(archive, name, entries, quiet):
    for one in entries:
        try:
            archive.read(one)
        except zipfile.BadZipFile:
            print(f"    testing: {one.filename:22}  bad CRC")
            return 2
        if not quiet:
            print(f"    testing: {one.filename:22}   OK")
    print(f"No errors detected in compressed data of {name}.")
    return 0


def _extract(archive, entries, found):
    directory = (found.get("d") or ["."])[-1]
    for one in entries:
        if "j" in found:
            if one.is_dir():
                continue
            one.filename = os.path.basename(one.filename)
        path = one.filename if directory == "." else os.path.join(directory, one.filename)
        if os.path.lexists(path):
            if one.is_dir() or "n" in found:
                continue
            if "o" not in found:
                sys.stdout.flush()
                print(f"replace {path}? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL\n(EOF or read error, treating as \"[N]one\" ...)", file=sys.stderr)
                return 1
        if "q" not in found:
            told = "  inflating" if one.compress_type == zipfile.ZIP_DEFLATED else " extracting"
            print(f"   creating: {path}" if one.is_dir() else f"{told}: {path:22}  ")
        archive.extract(one, directory)
        when = time.mktime((*one.date_time, 0, 0, -1))
        os.utime(path, (when, when))
    return 0
