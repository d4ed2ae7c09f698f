#!/usr/bin/env python3
"""Converts a value from one unit to another, using references/conversion-table.csv.

A unit is given by name, plural, symbol or alias. Prints one line, or JSON with --json.
Exit status: 0 converted, 2 the call was wrong (the message on standard error says how).
"""

import argparse
import csv
import difflib
import json
import re
import sys
from decimal import Decimal, InvalidOperation, localcontext
from fractions import Fraction
from pathlib import Path

TABLE = Path(__file__).resolve().parent.parent / "references" / "conversion-table.csv"
LARGEST_EXPONENT = 300  # keeps exact arithmetic fast whatever value is asked for


class UsageError(Exception):
    """Something the caller can put right."""


def read_table():
    """The table's rows, with the factor and offset to the quantity's base unit as exact fractions."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        units = list(csv.DictReader(file))
    for unit in units:
        unit["factor"] = Fraction(unit["factor"])
        unit["offset"] = Fraction(unit["offset"])
        names = [unit["unit"], unit["plural"], unit["symbol"], *unit["aliases"].split()]
        unit["names"] = [name for name in names if name]
    return units


def find_unit(units, text):
    """The one unit called `text`: as written first, then whatever the case, blanks standing for hyphens."""
    wanted = re.sub(r"[\s_]+", "-", text.strip()).replace("μ", "µ")
    exact = [unit for unit in units if wanted in unit["names"]]
    if len(exact) == 1:
        return exact[0]
    folded = wanted.casefold()
    loose = [unit for unit in units if folded in (name.casefold() for name in unit["names"])]
    if len(loose) == 1:
        return loose[0]
    if loose:
        options = ", ".join(f"{unit['symbol']} ({unit['unit']})" for unit in loose)
        raise UsageError(f'"{text}" is ambiguous; use one of: {options}')
    known = {name.casefold(): unit["unit"] for unit in units for name in unit["names"]}
    close = [known[name] for name in difflib.get_close_matches(folded, known, n=8, cutoff=0.6)]
    # "ton" is less like "short-ton" than like "stone", so whole parts of names come first.
    partial = [unit for name, unit in known.items() if folded in name.split("-")]
    candidates = list(dict.fromkeys(partial or close))[:5]
    hint = f"did you mean: {', '.join(candidates)}" if candidates else "run with --list to see all units"
    raise UsageError(f'unknown unit "{text}"; {hint}')


def convert(value, source, target):
    if source["quantity"] != target["quantity"]:
        raise UsageError(
            f"cannot convert {source['quantity']} ({source['plural']}) to {target['quantity']} ({target['plural']})"
        )
    base = value * source["factor"] + source["offset"]
    return (base - target["offset"]) / target["factor"]


def read_value(text):
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UsageError(f'"{text}" is not a number; write it like 26.2, -40 or 6.02e23') from None
    if not value.is_finite() or abs(value.adjusted()) > LARGEST_EXPONENT:
        raise UsageError(f'"{text}" is out of range')
    return Fraction(value)


def show(value, digits):
    """`value` rounded to `digits` significant digits, without trailing zeros."""
    with localcontext() as context:
        context.prec = digits
        number = (Decimal(value.numerator) / Decimal(value.denominator)).normalize()
    return f"{number:f}" if -7 <= number.adjusted() <= 15 else f"{number:E}"


def named(unit, value):
    return (unit["unit"] if abs(value) == 1 else unit["plural"]).replace("-", " ")


def list_units(units, quantity, as_json):
    quantities = list(dict.fromkeys(unit["quantity"] for unit in units))
    if quantity != "all" and quantity not in quantities:
        raise UsageError(f'unknown quantity "{quantity}"; one of: {", ".join(quantities)}')
    chosen = quantities if quantity == "all" else [quantity]
    names = {name: [unit["unit"] for unit in units if unit["quantity"] == name] for name in chosen}
    if as_json:
        print(json.dumps(names, ensure_ascii=False))
    else:
        for name, members in names.items():
            print(f"{name}: {', '.join(members)}")


def parse_arguments(argv):
    parser = argparse.ArgumentParser(
        description="Convert a value between units of the same quantity.",
        epilog="example: convert.py --value 26.2 --from miles --to kilometers",
        allow_abbrev=False,
    )
    parser.add_argument("--value", help="the number to convert, for example 26.2 or -40")
    parser.add_argument("--from", dest="source", metavar="UNIT", help="the unit the value has")
    parser.add_argument("--to", dest="target", metavar="UNIT", help="the unit to convert to")
    parser.add_argument("--precision", type=int, default=10, help="significant digits, 1 to 30 (default 10)")
    parser.add_argument("--list", nargs="?", const="all", metavar="QUANTITY", help="list the units, of one quantity or all")
    parser.add_argument("--json", action="store_true", help="print JSON")
    # argparse takes -1e-7 for an option; joined to its flag it is a value.
    joined = []
    for word in argv:
        if joined and joined[-1] == "--value":
            joined[-1] = f"--value={word}"
        else:
            joined.append(word)
    arguments = parser.parse_args(joined)
    if arguments.list is None and None in (arguments.value, arguments.source, arguments.target):
        parser.error("--value, --from and --to are needed together (or --list)")
    if not 1 <= arguments.precision <= 30:
        parser.error("--precision must be from 1 to 30")
    return arguments


def main(argv):
    arguments = parse_arguments(argv)
    try:
        units = read_table()
        if arguments.list is not None:
            list_units(units, arguments.list, arguments.json)
            return 0
        value = read_value(arguments.value)
        source, target = find_unit(units, arguments.source), find_unit(units, arguments.target)
        result = convert(value, source, target)
    except UsageError as error:
        print(f"convert.py: {error}", file=sys.stderr)
        return 2
    given, answer = show(value, 30), show(result, arguments.precision)
    if arguments.json:
        names = {"quantity": source["quantity"], "from": source["unit"], "to": target["unit"]}
        print(json.dumps({"value": given, "result": answer, **names}, ensure_ascii=False))
    else:
        print(f"{given} {named(source, value)} = {answer} {named(target, result)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
