#!/usr/bin/env python3
"""Works out when a shipped parcel of Fjord & Thread arrives, from references/delivery-zones.csv.

Delivery days are Monday to Saturday. Exit status: 0 done, 2 the call was wrong or the shop does not deliver that way.
"""

import argparse
import csv
import json
import sys
from datetime import date, timedelta
from pathlib import Path

ZONES = Path(__file__).resolve().parent.parent / "references" / "delivery-zones.csv"
SUNDAY = 6


def a_date(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is not a date in the form YYYY-MM-DD') from None


def add_delivery_days(day, count):
    while count > 0:
        day += timedelta(days=1)
        if day.weekday() != SUNDAY:
            count -= 1
    return day


def main(argv):
    parser = argparse.ArgumentParser(description="Work out the delivery window of a parcel.", allow_abbrev=False)
    parser.add_argument("--country", required=True, help="two letters, for example FR")
    parser.add_argument("--method", default="standard", choices=["standard", "express"])
    parser.add_argument("--shipped", required=True, type=a_date, help="date of shipping, YYYY-MM-DD")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)

    with ZONES.open(encoding="utf-8", newline="") as file:
        zones = {row["country"]: row for row in csv.DictReader(file)}
    country, method = arguments.country.strip().upper(), arguments.method
    zone = zones.get(country)
    if zone is None:
        print(f'estimate-delivery.py: no delivery to "{country}"; countries are: {" ".join(zones)}', file=sys.stderr)
        return 2
    if not zone[f"{method}_min"]:
        print(f"estimate-delivery.py: no {method} to {country}", file=sys.stderr)
        return 2

    days = [int(zone[f"{method}_min"]), int(zone[f"{method}_max"])]
    first, last = (add_delivery_days(arguments.shipped, count).isoformat() for count in days)
    if arguments.json:
        facts = {"country": country, "method": method, "shipped": arguments.shipped.isoformat()}
        print(json.dumps({**facts, "first": first, "last": last, "delivery_days": days, "carrier": zone["carrier"]}))
        return 0
    window = first if first == last else f"{first} to {last}"
    span = f"{days[0]}" if days[0] == days[1] else f"{days[0]} to {days[1]}"
    noun = "day" if days[1] == 1 else "days"
    print(
        f"{country} {method}, shipped {arguments.shipped}: "
        f"arrives {window} ({span} delivery {noun}, {zone['carrier']})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
