"""Owns how the archive commands of the sandbox's shell begin and fail; what each does is in _sandbox_tar.py and _sandbox_zip.py."""

import sys


class Failure(Exception):
    """What a command ends with when it cannot go on: its words, and its status."""

    def __init__(self, words, status=2):
        super().__init__(words)
        self.status = status


def main(name, words):
    """Runs a command; gives its exit status."""
    try:
        return _command(name)(words)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return failure.status
    except (OSError, EOFError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        if type(error).__module__ in ("tarfile", "zipfile", "zlib"):
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        raise


def _command(name):
    if name == "tar":
        from _sandbox_tar import tar

        return tar
    import _sandbox_zip

    return getattr(_sandbox_zip, name)


def options(words, letters, with_value, names=(), names_with_value=()):
    """
    Splits words into (letter or long name → values) and the rest. Options that are not known end the command: what they ask for would not
    be done.
    """
    found, rest = {}, []
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            rest += words
            break
        if word.startswith("--"):
            key, equals, value = word[2:].partition("=")
            if key in names_with_value:
                found.setdefault(key, []).append(value if equals else _next(words, word))
            elif key in names:
                found.setdefault(key, []).append(True)
            else:
                raise LookupError(f"unrecognized option '{word}'")
        elif word.startswith("-") and len(word) > 1:
            given = word[1:]
            while given:
                letter, given = given[0], given[1:]
                if letter in with_value:
                    found.setdefault(letter, []).append(given or _next(words, word))
                    given = ""
                elif letter in letters:
                    found.setdefault(letter, []).append(True)
                else:
                    raise LookupError(f"invalid option -- '{letter}'")
        else:
            rest.append(word)
    return found, rest


def _next(words, option):
    if not words:
        raise LookupError(f"option '{option}' requires an argument")
    return words.pop(0)
