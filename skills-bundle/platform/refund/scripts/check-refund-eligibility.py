#!/usr/bin/env python3
"""Decides whether an item can be refunded under the platform's default policy.

The rules (P0 to P10) are written down in references/refund-policy.md; the first that fits decides.
Exit status: 0 decided (whatever the decision), 2 the call was wrong.
"""

import argparse
import json
import sys
from datetime import date
from decimal import Decimal, InvalidOperation

REVIEW_ABOVE = Decimal("500.00")
CHANGED_MIND_DAYS = 14
DEFECT_DAYS = 30
PERISHABLE_DEFECT_DAYS = 2
REPAIR_DAYS = 365
WRONG_ITEM_DAYS = 30
LOST_AFTER_DAYS = 7

CUSTOMER_PAYS = "return at the customer's cost"
SHOP_PAYS = "return at the shop's cost"


def a_date(text):
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is not a date in the form YYYY-MM-DD') from None


def an_amount(text):
    try:
        amount = Decimal(text)
    except InvalidOperation:
        amount = Decimal("NaN")
    if not amount.is_finite() or not 0 < amount < 1_000_000:
        raise argparse.ArgumentTypeError(f'"{text}" is not an amount such as 59.00')
    return amount.quantize(Decimal("0.01"))


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description="Decide on a refund by the platform's default policy.", allow_abbrev=False)
    parser.add_argument("--reason", required=True, choices=["changed-mind", "defective", "wrong-item", "not-delivered"])
    parser.add_argument("--amount", required=True, type=an_amount, help="price paid for the item, for example 59.00")
    parser.add_argument("--currency", default="EUR", help="three letters (default EUR)")
    parser.add_argument("--delivered", type=a_date, help="date of delivery, YYYY-MM-DD")
    parser.add_argument("--promised", type=a_date, help="last promised day of delivery, for not-delivered")
    parser.add_argument(
        "--category", default="general", choices=["general", "hygiene", "custom-made", "digital", "perishable"]
    )
    parser.add_argument("--opened", action="store_true", help="the seal or packaging is open")
    parser.add_argument("--today", type=a_date, default=date.today(), help="decide as of this day (default: today)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    needed = "promised" if arguments.reason == "not-delivered" else "delivered"
    if getattr(arguments, needed) is None:
        parser.error(f"--{needed} is needed with --reason {arguments.reason}")
    if arguments.delivered is not None and arguments.delivered > arguments.today:
        parser.error(f"--delivered {arguments.delivered} is after today, {arguments.today}")
    return arguments


def decide(arguments):
    """Rule, decision, remedy and reason."""
    reason, category = arguments.reason, arguments.category
    if reason == "not-delivered":
        late = (arguments.today - arguments.promised).days
        if late >= LOST_AFTER_DAYS:
            return "P9", "eligible", "nothing to return", f"{late} days after the promised day"
        return "P10", "not-eligible", None, f"a search at the carrier comes first; refund from {LOST_AFTER_DAYS} days late on"

    days = (arguments.today - arguments.delivered).days
    if reason == "wrong-item":
        if days <= WRONG_ITEM_DAYS:
            return "P7", "eligible", SHOP_PAYS, f"{days} of {WRONG_ITEM_DAYS} days used"
        return "P8", "needs-review", None, f"{days} days since delivery, limit {WRONG_ITEM_DAYS}"

    if reason == "defective":
        limit = PERISHABLE_DEFECT_DAYS if category == "perishable" else DEFECT_DAYS
        if days <= limit:
            return "P4", "eligible", SHOP_PAYS, f"{days} of {limit} days used"
        if days <= REPAIR_DAYS:
            return "P5", "needs-review", None, f"{days} days since delivery; repair or replacement first"
        return "P6", "not-eligible", None, f"{days} days since delivery, limit {REPAIR_DAYS}"

    if category in ("custom-made", "perishable"):
        return "P2", "not-eligible", None, f"{category} goods cannot be given back"
    if category in ("hygiene", "digital") and arguments.opened:
        return "P2", "not-eligible", None, f"{category} goods cannot be given back once opened"
    if days <= CHANGED_MIND_DAYS:
        return "P1", "eligible", CUSTOMER_PAYS, f"{days} of {CHANGED_MIND_DAYS} days used"
    return "P3", "not-eligible", None, f"{days} days since delivery, limit {CHANGED_MIND_DAYS}"


def main(argv):
    arguments = parse_arguments(argv)
    rule, decision, remedy, because = decide(arguments)
    if decision == "eligible" and arguments.amount > REVIEW_ABOVE:
        rule, decision, remedy, because = "P0", "needs-review", None, f"more than {REVIEW_ABOVE}"
    currency = arguments.currency.upper()
    if arguments.json:
        amount = str(arguments.amount) if decision == "eligible" else None
        print(
            json.dumps(
                {
                    "decision": decision,
                    "rule": rule,
                    "amount": amount,
                    "currency": currency,
                    "remedy": remedy,
                    "because": because,
                }
            )
        )
    elif decision == "eligible":
        print(f"eligible: refund of {arguments.amount} {currency}, {remedy} ({rule}: {because})")
    else:
        print(f"{decision}: {because} ({rule})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
