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
    found, paths = _options(words, "fCTX", ("exclude", "file", "directory", "strip-components"))
    name = (found.get("f") or found.get("file") or ["-"])[-1]
    directory = (found.get("C") or found.get("directory") or ["."])[-1]
    excluded = found.get("exclude", [])
    verbose = "v" in found or "verbose" in found
    compression = "gz" if "z" in found or "gzip" in found else "bz2" if "j" in found else ""
    if not compression and ("a" in found or "auto-compress" in found) and name.endswith("gz"):
        compression = "gz"

    def kept(path):
        return not any(fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(os.path.basename(path), pattern) for pattern in excluded)

    def say(path, where=sys.stdout):
        if verbose:
            print(path, file=sys.stderr if name == "-" and where is sys.stdout else where)

    if "c" in found or "create" in found:
        target = {"fileobj": sys.stdout.buffer, "mode": "w|" + compression} if name == "-" else {"name": name, "mode": "w:" + compression}
        with tarfile.open(**target) as archive:
            for path in paths:
                def each(member):
                    if not kept(member.name):
                        return None
                    say(member.name)
                    return member

                archive.add(os.path.join(directory, path), arcname=path, filter=each)
        return 0
    source = {"fileobj": sys.stdin.buffer, "mode": "r|*"} if name == "-" else {"name": name, "mode": "r:*"}
    strip = int((found.get("strip-components") or [0])[-1])
    with tarfile.open(**source) as archive:
        for member in archive:
            if paths and not any(member.name == path.rstrip("/") or member.name.startswith(path.rstrip("/") + "/") for path in paths):
                continue
            if not kept(member.name):
                continue
            if "t" in found or "list" in found:
                print(member.name + ("/" if member.isdir() else ""))
                continue
            shown = member.name
            if strip:
                parts = member.name.split("/")[strip:]
                if not parts:
                    continue
                member.name = "/".join(parts)
            say(shown)
            archive.extract(member, directory, filter="data")
    return 0


def _zip(words):
    import zipfile

    found, rest = _options(words, "b", ())
    excluded = []
    if "x" in found:
        at = words.index("-x") if "-x" in words else len(words)
        excluded = [word for word in words[at + 1 :] if not word.startswith("-")]
        rest = [word for word in rest if word not in excluded]
    if not rest:
        raise ValueError("nothing to do")
    name, paths = rest[0], rest[1:]
    name = name if os.path.splitext(name)[1] else name + ".zip"
    files = []
    for path in paths:
        if os.path.isdir(path):
            if "r" in found:
                for directory, _, names in os.walk(path):
                    files += [os.path.join(directory, one) for one in sorted(names)]
        elif os.path.exists(path):
            files.append(path)
        else:
            print(f"zip warning: name not matched: {path}", file=sys.stderr)
    files = [path for path in files if not any(fnmatch.fnmatch(path, pattern) for pattern in excluded)]
    if not files:
        print("zip error: Nothing to do!", file=sys.stderr)
        return 12
    with zipfile.ZipFile(name, "a" if os.path.exists(name) else "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            arcname = os.path.basename(path) if "j" in found else os.path.normpath(path)
            if "q" not in found:
                print(f"  adding: {arcname}")
            archive.write(path, arcname)
    return 0


def _unzip(words):
    import zipfile

    found, rest = _options(words, "d")
    if not rest:
        raise ValueError("no archive given")
    name, wanted = rest[0], rest[1:]
    if not os.path.exists(name) and os.path.exists(name + ".zip"):
        name += ".zip"
    directory = (found.get("d") or ["."])[-1]
    with zipfile.ZipFile(name) as archive:
        entries = [one for one in archive.infolist() if not wanted or any(fnmatch.fnmatch(one.filename, pattern) for pattern in wanted)]
        if wanted and not entries:
            print(f"caution: filename not matched:  {' '.join(wanted)}", file=sys.stderr)
            return 11
        if "l" in found or "Z" in found:
            print(f"Archive:  {name}\n  Length      Date    Time    Name\n---------  ---------- -----   ----")
            for one in entries:
                date = "%04d-%02d-%02d %02d:%02d" % one.date_time[:5]
                print(f"{one.file_size:9}  {date}   {one.filename}")
            print(f"---------                     -------\n{sum(one.file_size for one in entries):9}                     {len(entries)} files")
            return 0
        if "t" in found:
            return 0 if archive.testzip() is None else 2
        for one in entries:
            if "p" in found:
                sys.stdout.buffer.write(archive.read(one))
                continue
            if "n" in found and os.path.exists(os.path.join(directory, one.filename)):
                continue
            if "q" not in found:
                print(f"  inflating: {os.path.join(directory, one.filename) if directory != '.' else one.filename}")
            archive.extract(one, directory)
    return 0
