#!/usr/bin/env python3
"""Looks up an order of Fjord & Thread: status, items, ship-by date and how late it is.

Orders are in data/orders.json, the warehouse's calendar in data/warehouse.json. No personal data is kept or printed.
Exit status: 0 found, 1 no such order, 2 the call was wrong.
"""

import argparse
import json
import re
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
ORDER_NUMBER = re.compile(r"A-\d{4}")
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
OPEN = ("paid", "packing", "awaiting-stock")


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


class Calendar:
    """The warehouse's working days."""

    def __init__(self, facts):
        self.weekdays = facts["working_weekdays"]
        self.days_off = facts["days_off"]
        self.cut_off = time.fromisoformat(facts["cut_off"])
        self.handling_days = facts["handling_days"]

    def works_on(self, day):
        return WEEKDAYS[day.weekday()] in self.weekdays and f"{day:%m-%d}" not in self.days_off

    def next_working_day(self, day):
        day += timedelta(days=1)
        while not self.works_on(day):
            day += timedelta(days=1)
        return day

    def ship_by(self, placed):
        counts_for = placed.date()
        if placed.time() >= self.cut_off or not self.works_on(counts_for):
            counts_for = self.next_working_day(counts_for)
        for _ in range(self.handling_days):
            counts_for = self.next_working_day(counts_for)
        return counts_for

    def days_late(self, ship_by, day):
        """Working days after `ship_by`, up to and with `day`."""
        span = (day - ship_by).days
        return sum(self.works_on(ship_by + timedelta(days=n)) for n in range(1, span + 1))


def describe(order, calendar, currency, today):
    """Everything that may be said about an order, as plain data."""
    ship_by = calendar.ship_by(datetime.fromisoformat(order["placed"]))
    total = sum(Decimal(item["price"]) * item["quantity"] for item in order["items"])
    left = date.fromisoformat(order["shipped"]) if "shipped" in order else today
    late = 0 if order["status"] == "cancelled" else calendar.days_late(ship_by, left)
    keep = ("order", "status", "placed", "shipped", "delivered", "carrier", "country", "method", "note", "items")
    facts = {key: order[key] for key in keep if key in order}
    return {**facts, "total": str(total), "currency": currency, "ship_by": ship_by.isoformat(), "days_late": late}


def show(facts, today):
    placed = facts["placed"].replace("T", " ")
    lines = [f"{facts['order']}: {facts['status']}, placed {placed}, total {facts['total']} {facts['currency']}"]
    for item in facts["items"]:
        sale = ", sale" if item["sale"] else ""
        price = f"{item['price']} {facts['currency']}" + (" each" if item["quantity"] > 1 else "")
        lines.append(f"item: {item['quantity']} x {item['name']} ({item['category']}{sale}), {price}")
    if facts["status"] in OPEN:
        wait = (date.fromisoformat(facts["ship_by"]) - today).days
        due = "late" if wait < 0 else "due today" if wait == 0 else "not due yet"
        lines.append(f"ship by: {facts['ship_by']}, {due}, days late {facts['days_late']}")
    if "shipped" in facts:
        way = f"by {facts['carrier']} {facts['method']} to {facts['country']}"
        lines.append(f"shipped: {facts['shipped']} {way}, days late {facts['days_late']}")
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
        raise argparse.ArgumentTypeError(f'"{text}" is not an order number; they look like A-1042')
    return number


def main(argv):
    parser = argparse.ArgumentParser(description="Look up an order of Fjord & Thread.", allow_abbrev=False)
    parser.add_argument("--order", required=True, type=an_order_number, help="order number, for example A-1042")
    parser.add_argument("--today", type=a_date, default=date.today(), help="answer as of this day (default: today)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)

    order = next((order for order in read("orders.json") if order["order"] == arguments.order), None)
    if order is None:
        print(f"query-order-status.py: no order {arguments.order}", file=sys.stderr)
        return 1
    warehouse = read("warehouse.json")
    facts = describe(order, Calendar(warehouse), warehouse["currency"], arguments.today)
    print(json.dumps(facts, ensure_ascii=False) if arguments.json else show(facts, arguments.today))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
