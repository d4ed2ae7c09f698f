#!/usr/bin/env python3
"""Looks up an order of Voltbench: status, devices, release of pre-orders, ship-by date and how late it is.

Orders are in data/orders.json. No personal data is kept or printed.
Exit status: 0 found, 1 no such order, 2 the call was wrong.
"""

import argparse
import json
import re
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

ORDERS = Path(__file__).resolve().parent.parent / "data" / "orders.json"
ORDER_NUMBER = re.compile(r"B-\d{5}")
CUT_OFF = time(12, 0)
HANDLING_DAYS = 2
DAYS_OFF = {(1, 1), (7, 4), (12, 25)}
OPEN = ("paid", "quality-check", "pre-order")


def is_thanksgiving(day):
    return day.month == 11 and day.weekday() == 3 and 22 <= day.day <= 28


def is_working_day(day):
    return day.weekday() < 5 and (day.month, day.day) not in DAYS_OFF and not is_thanksgiving(day)


def working_day_from(day):
    while not is_working_day(day):
        day += timedelta(days=1)
    return day


def ship_by(order):
    if "release" in order:
        return working_day_from(date.fromisoformat(order["release"]))
    placed = datetime.fromisoformat(order["placed"])
    day = placed.date() + timedelta(days=1) if placed.time() >= CUT_OFF else placed.date()
    day = working_day_from(day)
    for _ in range(HANDLING_DAYS):
        day = working_day_from(day + timedelta(days=1))
    return day


def days_late(due, day):
    """Working days after `due`, up to and with `day`."""
    return sum(is_working_day(due + timedelta(days=n)) for n in range(1, (day - due).days + 1))


def describe(order, today):
    """Everything that may be said about an order, as plain data."""
    due = ship_by(order)
    left = date.fromisoformat(order["shipped"]) if "shipped" in order else today
    late = 0 if order["status"] == "cancelled" else days_late(due, left)
    total = sum(Decimal(item["price"]) for item in order["items"])
    return {**order, "total": str(total), "currency": "USD", "ship_by": due.isoformat(), "days_late": late}


def show(facts, today):
    placed = facts["placed"].replace("T", " ")
    lines = [f"{facts['order']}: {facts['status']}, placed {placed}, total {facts['total']} USD, shipping {facts['shipping']} USD"]
    for item in facts["items"]:
        serial = f", serial {item['serial']}" if "serial" in item else ""
        lines.append(f"item: 1 x {item['name']} ({item['category']}{serial}), {item['price']} USD")
    if "release" in facts:
        lines.append(f"release: {facts['release']}")
    if facts["status"] in OPEN:
        wait = (date.fromisoformat(facts["ship_by"]) - today).days
        due = "late" if wait < 0 else "due today" if wait == 0 else "not due yet"
        lines.append(f"ship by: {facts['ship_by']}, {due}, days late {facts['days_late']}")
    if "shipped" in facts:
        way = f"class {facts['class']}, zone {facts['zone']}"
        lines.append(f"shipped: {facts['shipped']}, {way}, days late {facts['days_late']}")
    if "delivered" in facts:
        lines.append(f"delivered: {facts['delivered']}")
    if "note" in facts:
        lines.append(f"note: {facts['note']}")
    return "\n".join(lines)


def a_date(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is not a date in the form YYYY-MM-DD') from None


def an_order_number(text):
    number = text.strip().upper()
    if not ORDER_NUMBER.fullmatch(number):
        raise argparse.ArgumentTypeError(f'"{text}" is not an order number; they look like B-70012')
    return number


def main(argv):
    parser = argparse.ArgumentParser(description="Look up an order of Voltbench.", allow_abbrev=False)
    parser.add_argument("--order", required=True, type=an_order_number, help="order number, for example B-70012")
    parser.add_argument("--today", type=a_date, default=date.today(), help="answer as of this day (default: today)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)

    orders = json.loads(ORDERS.read_text(encoding="utf-8"))
    order = next((order for order in orders if order["order"] == arguments.order), None)
    if order is None:
        print(f"query-order-status.py: no order {arguments.order}", file=sys.stderr)
        return 1
    facts = describe(order, arguments.today)
    print(json.dumps(facts, ensure_ascii=False) if arguments.json else show(facts, arguments.today))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
