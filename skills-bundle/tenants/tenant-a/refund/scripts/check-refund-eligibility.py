#!/usr/bin/env python3
"""Decides on money back, store credit or a voucher by the rules of Fjord & Thread.

The rules (A0 to A11) are written down in references/aftersales-sop.md; the first that fits decides.
Exit status: 0 decided (whatever the decision), 2 the call was wrong.
"""

import argparse
import json
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

CENT = Decimal("0.01")
REVIEW_ABOVE = Decimal("300.00")
NO_RETURN = ("underwear", "swimwear", "earrings")
MONEY_DAYS, CREDIT_DAYS = 30, 60
DEFECT_DAYS, WRONG_ITEM_DAYS = 180, 60
LATE_STEPS = [  # from days late on: rule, percentage, at most
    (3, "A10", 20, Decimal("30.00")),
    (1, "A9", 10, Decimal("15.00")),
]
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
    return amount.quantize(CENT)


def a_count(text):
    if not text.isdecimal() or len(text) > 4:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of days')
    return int(text)


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description="Decide on a refund by the rules of Fjord & Thread.", allow_abbrev=False)
    parser.add_argument("--reason", required=True, choices=["changed-mind", "defective", "wrong-item", "late-shipment"])
    parser.add_argument("--amount", required=True, type=an_amount, help="EUR: the item's price, or the late order's total")
    parser.add_argument("--delivered", type=a_date, help="date of delivery, YYYY-MM-DD")
    parser.add_argument("--category", default="", help="as the order service prints it, for example dresses")
    parser.add_argument("--worn", action="store_true", help="worn, or the tags are off")
    parser.add_argument("--sale", action="store_true", help="bought in a sale")
    parser.add_argument("--days_late", "--days-late", type=a_count, help="working days late, for late-shipment")
    parser.add_argument("--today", type=a_date, default=date.today(), help="decide as of this day (default: today)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    needed = "days_late" if arguments.reason == "late-shipment" else "delivered"
    if getattr(arguments, needed) is None:
        parser.error(f"--{needed} is needed with --reason {arguments.reason}")
    if arguments.delivered is not None and arguments.delivered > arguments.today:
        parser.error(f"--delivered {arguments.delivered} is after today, {arguments.today}")
    return arguments


def outcome(rule, because, decision="not-eligible", kind=None, amount=None, remedy=None):
    return {
        "decision": decision,
        "rule": rule,
        "kind": kind,
        "amount": None if amount is None else str(amount),
        "currency": "EUR",
        "remedy": remedy,
        "because": because,
    }


def decide_late(total, days):
    for start, rule, percent, limit in LATE_STEPS:
        if days >= start:
            amount = min((total * percent / 100).quantize(CENT, ROUND_HALF_UP), limit)
            because = f"{days} {'day' if days == 1 else 'days'} late, {percent} % up to {limit}"
            remedy = "express shipping" if rule == "A10" else None
            return outcome(rule, because, "eligible", "voucher", amount, remedy)
    return outcome("A11", "not late")


def decide_return(arguments):
    days = (arguments.today - arguments.delivered).days
    amount = arguments.amount

    if arguments.reason in ("defective", "wrong-item"):
        rule, limit = ("A7", DEFECT_DAYS) if arguments.reason == "defective" else ("A8", WRONG_ITEM_DAYS)
        if days > limit:
            return outcome(rule, f"{days} days since delivery, limit {limit}", "needs-review")
        return outcome(rule, f"{days} of {limit} days used", "eligible", "refund", amount, f"or exchange, {SHOP_PAYS}")

    if arguments.category.lower() in NO_RETURN:
        return outcome("A3", f"{arguments.category.lower()} cannot be given back")
    if arguments.worn:
        return outcome("A4", "worn, or the tags are off")
    if days <= MONEY_DAYS:
        rule, kind = ("A2", "store credit") if arguments.sale else ("A1", "refund")
        return outcome(rule, f"{days} of {MONEY_DAYS} days used", "eligible", kind, amount, SHOP_PAYS)
    if days <= CREDIT_DAYS and not arguments.sale:
        return outcome("A5", f"{days} of {CREDIT_DAYS} days used", "eligible", "store credit", amount, SHOP_PAYS)
    limit = MONEY_DAYS if arguments.sale else CREDIT_DAYS
    return outcome("A6", f"{days} days since delivery, limit {limit}")


def show(result):
    if result["decision"] != "eligible":
        return f"{result['decision']}: {result['because']} ({result['rule']})"
    remedy = f", {result['remedy']}" if result["remedy"] else ""
    return f"eligible: {result['kind']} of {result['amount']} EUR{remedy} ({result['rule']}: {result['because']})"


def main(argv):
    arguments = parse_arguments(argv)
    if arguments.reason == "late-shipment":
        result = decide_late(arguments.amount, arguments.days_late)
    else:
        result = decide_return(arguments)
    if result["kind"] == "refund" and arguments.amount > REVIEW_ABOVE:
        result = outcome("A0", f"more than {REVIEW_ABOVE} EUR", "needs-review")
    print(json.dumps(result) if arguments.json else show(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
