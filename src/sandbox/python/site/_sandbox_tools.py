"""Owns the commands tar, zip and unzip of the sandbox's shell, over the modules that read and write archives; only the usual options."""

import fnmatch
import os
import sys


def main(name, words):
    """Runs a command; gives its exit status."""
    try:
        return {"tar": _tar, "zip": _zip, "unzip": _unzip}[name](words)
    except (OSError, EOFError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        if type(error).__module__ in ("tarfile", "zipfile", "zlib"):
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        raise


def _options(words, with_value, long_with_value=()):
    """Splits words into (letter or long name → value or True), and the rest."""
    found, rest = {}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            rest += words
            break
        if word.startswith("--"):
            key, equals, value = word[2:].partition("=")
            found.setdefault(key, []).append(value if equals else words.pop(0) if key in long_with_value and words else True)
        elif word.startswith("-") and len(word) > 1:
            letters = word[1:]
            while letters:
                letter, letters = letters[0], letters[1:]
                if letter in with_value:
                    found.setdefault(letter, []).append(letters or (words.pop(0) if words else ""))
                    letters = ""
                else:
                    found.setdefault(letter, []).append(True)
        else:
            rest.append(word)
    return found, rest


def _tar(words):
    import tarfile

    if words and not words[0].startswith("-"):
        # The old form: letters first, then the values they ask for in their order.
        letters, words = words[0], words[1:]
        values = [letter for letter in letters if letter in "fC"]
        front = [part for letter in values for part in ("-" + letter, words[values.index(letter)])]
        words = ["-" + "".join(letter for letter in letters if letter not in "fC"), *front, *words[len(values):]]
    found, paths = _options(words, "fCTX", ("exclude", "file", "directory", "strip-components", "transform", "xform"))
    name = (found.get("f") or found.get("file") or ["-"])[-1]
    directory = (found.get("C") or found.get("directory") or ["."])[-1]
    excluded = found.get("exclude", [])
    verbose = "v" in found or "verbose" in found
    compression = "gz" if "z" in found or "gzip" in found else "bz2" if "j" in found else ""
    if not compression and ("a" in found or "auto-compress" in found) and name.endswith("gz"):
        compression = "gz"

    def kept(path):
        return not any(fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(os.path.basename(path), pattern) for pattern in excluded)

    renames = [_renaming(rule) for rule in found.get("transform", []) + found.get("xform", [])]

    def renamed(path):
        for rename in renames:
            path = rename(path)
        return path

    def say(path, where=sys.stdout):
        if verbose:
            print(path, file=sys.stderr if name == "-" and where is sys.stdout else where)

    if "c" in found or "create" in found or "r" in found or "append" in found:
        adds = "r" in found or "append" in found
        target = {"name": name, "mode": "a:"} if adds else {"fileobj": sys.stdout.buffer, "mode": "w|" + compression} if name == "-" else {"name": name, "mode": "w:" + compression}
        with tarfile.open(**target) as archive:
            for path in paths:
                def each(member):
                    if not kept(member.name):
                        return None
                    say(member.name)
                    member.name = renamed(member.name)
                    return member

                archive.add(os.path.join(directory, path), arcname=path, filter=each)
        return 0
    if name != "-" and not os.path.exists(name):
        print(f"tar: {name}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now", file=sys.stderr)
        return 2
    source = {"fileobj": sys.stdin.buffer, "mode": "r|*"} if name == "-" else {"name": name, "mode": "r:*"}
    strip = int((found.get("strip-components") or [0])[-1])
    with tarfile.open(**source) as archive:
        for member in archive:
            if paths and not any(member.name == path.rstrip("/") or member.name.startswith(path.rstrip("/") + "/") for path in paths):
                continue
            if not kept(member.name):
                continue
            if "t" in found or "list" in found:
                print(_tar_line(member) if verbose else member.name + ("/" if member.isdir() else ""))
                continue
            shown = member.name
            if strip:
                parts = member.name.split("/")[strip:]
                if not parts:
                    continue
                member.name = "/".join(parts)
            member.name = renamed(member.name)
            say(shown)
            if "O" in found or "to-stdout" in found:
                data = archive.extractfile(member) if member.isfile() else None
                sys.stdout.buffer.write(data.read() if data else b"")
                continue
            archive.extract(member, directory, filter="data")
    return 0


def _tar_line(member):
    import stat
    import time

    kind = stat.S_IFDIR if member.isdir() else stat.S_IFLNK if member.issym() else stat.S_IFREG
    owner = f"{member.uname or member.uid}/{member.gname or member.gid}"
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(member.mtime))
    name = member.name + ("/" if member.isdir() else f" -> {member.linkname}" if member.issym() else "")
    return f"{stat.filemode(member.mode | kind)} {owner} {member.size:>{max(1, 18 - len(owner))}} {when} {name}"


def _renaming(rule):
    """`s/OLD/NEW/flags` of sed, as far as names of files need it."""
    import re

    separator = rule[1:2] or "/"
    parts = rule[2:].split(separator)
    if rule[:1] != "s" or len(parts) < 3:
        raise ValueError(f"Invalid transform expression: {rule}")
    old = re.sub(r"\\([(){}|+?])", lambda found: "\0" + found[1], parts[0])
    old = re.sub(r"(?<!\0)([(){}|+?])", r"\\\1", old).replace("\0", "")
    new = re.sub(r"(?<!\\)&", r"\\g<0>", parts[1])
    return lambda path: re.sub(old, new, path, count=0 if "g" in parts[2] else 1)


def _zip(words):
    import zipfile

    words, excluded = _without_excluded(words)
    found, rest = _options(words, "b", ())
    if not rest:
        raise ValueError("nothing to do")
    name, paths = rest[0], rest[1:]
    name = name if os.path.splitext(name)[1] else name + ".zip"
    if "d" in found:
        kept, gone = _zip_parts(name, lambda one: any(fnmatch.fnmatch(one, pattern) for pattern in paths))
        for one in gone:
            print(f"deleting: {one}" if "q" not in found else "", end="\n" if "q" not in found else "")
        _zip_write(name, kept, [])
        return 0 if gone else 12
    files = []
    for path in paths:
        if os.path.isdir(path):
            if "r" in found:
                for directory, subdirs, names in os.walk(path):
                    subdirs.sort()
                    if "D" not in found and "j" not in found and os.path.normpath(directory) != ".":
                        files.append(directory + "/")
                    files += [os.path.join(directory, one) for one in sorted(names)]
        elif os.path.exists(path):
            files.append(path)
        else:
            print(f"zip warning: name not matched: {path}", file=sys.stderr)
    files = [path for path in files if not any(fnmatch.fnmatch(path, pattern) for pattern in excluded)]
    if not files:
        print("zip error: Nothing to do!", file=sys.stderr)
        return 12
    named = {}
    for path in files:
        arcname = os.path.basename(path) if "j" in found else os.path.normpath(path) + ("/" if path.endswith("/") else "")
        if os.path.abspath(path) != os.path.abspath(name):
            named[arcname] = path
    kept, replaced = _zip_parts(name, lambda one: one in named) if os.path.exists(name) else ([], [])
    for arcname, info in _zip_write(name, kept, list(named.items())):
        if "q" not in found:
            saved = round(100 * (1 - info.compress_size / info.file_size)) if info.file_size else 0
            how = f"deflated {saved}%" if info.compress_type == zipfile.ZIP_DEFLATED and saved > 0 else "stored 0%"
            print(f"{'updating' if arcname in replaced else '  adding'}: {arcname} ({how})")
    return 0


def _without_excluded(words):
    """The words without `-x` and what stands behind it, and that."""
    if "-x" not in words:
        return words, []
    at = words.index("-x")
    end = next((n for n in range(at + 1, len(words)) if words[n].startswith("-") or words[n] == "@"), len(words))
    return words[:at] + words[end:], words[at + 1 : end]


def _zip_parts(name, is_gone):
    """What of an archive stays, with its bytes, and the names of what goes."""
    import zipfile

    with zipfile.ZipFile(name) as archive:
        stays = [(one, archive.read(one)) for one in archive.infolist() if not is_gone(one.filename)]
        return stays, {one for one in archive.namelist() if is_gone(one)}


def _zip_write(name, kept, files):
    """Writes an archive anew; gives what was added."""
    import zipfile

    added = []
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, data in kept:
            archive.writestr(info, data, info.compress_type)
        for arcname, path in files:
            archive.write(path, arcname)
            added.append((arcname, archive.getinfo(arcname)))
    return added


def _unzip(words):
    import zipfile

    words, excluded = _without_excluded(words)
    found, rest = _options(words, "d")
    if not rest:
        raise ValueError("no archive given")
    name, wanted = rest[0], rest[1:]
    if not os.path.exists(name) and os.path.exists(name + ".zip"):
        name += ".zip"
    if not os.path.exists(name):
        print(f"unzip:  cannot find or open {name}, {name}.zip or {name}.ZIP.", file=sys.stderr)
        return 9
    directory = (found.get("d") or ["."])[-1]
    with zipfile.ZipFile(name) as archive:
        entries = [one for one in archive.infolist() if not wanted or any(fnmatch.fnmatch(one.filename, pattern) for pattern in wanted)]
        entries = [one for one in entries if not any(fnmatch.fnmatch(one.filename, pattern) for pattern in excluded)]
        if wanted and not entries:
            print(f"caution: filename not matched:  {' '.join(wanted)}", file=sys.stderr)
            return 11
        if "Z" in found and "1" in found:
            print("\n".join(one.filename for one in entries))
            return 0
        if "l" in found or "Z" in found:
            print(f"Archive:  {name}\n  Length      Date    Time    Name\n---------  ---------- -----   ----")
            for one in entries:
                date = "%04d-%02d-%02d %02d:%02d" % one.date_time[:5]
                print(f"{one.file_size:9}  {date}   {one.filename}")
            print(f"---------                     -------\n{sum(one.file_size for one in entries):9}                     {len(entries)} files")
            return 0
        if "t" in found:
            broken = archive.testzip()
            if "q" not in found:
                print(f"Archive:  {name}")
                for one in entries:
                    print(f"    testing: {one.filename:<23}  {'OK' if one.filename != broken else 'bad CRC'}")
            print(f"No errors detected in compressed data of {name}." if broken is None else f"At least one error was detected in {name}.")
            return 0 if broken is None else 2
        if "q" not in found and "p" not in found:
            print(f"Archive:  {name}")
        for one in entries:
            if "p" in found:
                sys.stdout.buffer.write(archive.read(one))
                continue
            if "n" in found and os.path.exists(os.path.join(directory, one.filename)):
                continue
            if "j" in found:
                if one.is_dir():
                    continue
                one.filename = os.path.basename(one.filename)
            if "q" not in found:
                verb = "   creating" if one.is_dir() else "  inflating" if one.compress_type else " extracting"
                print(f"{verb}: {os.path.join(directory, one.filename) if directory != '.' else one.filename}  ".rstrip(" ") + ("" if one.is_dir() else "  "))
            archive.extract(one, directory)
    return 0
