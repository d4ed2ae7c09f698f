#!/usr/bin/env python3
"""Decides on late-order compensation, opened devices, dead devices and warranty by the rules of Voltbench.

The rules (B0 to B11) are written down in references/aftersales-sop.md. Other refunds are decided by the platform's skill refund.
Exit status: 0 decided (whatever the decision), 2 the call was wrong.
"""

import argparse
import json
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

CENT = Decimal("0.01")
REVIEW_ABOVE = Decimal("1000.00")
SHIPPING_BACK_FROM, CREDIT_FROM = 2, 5
CREDIT_PERCENT, CREDIT_LIMIT = 5, Decimal("40.00")
RETURN_DAYS, RESTOCKING_PERCENT = 14, 15
WARRANTY_DAYS = {"batteries": 180}
WARRANTY_DAYS_DEFAULT = 730


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
    if not amount.is_finite() or not 0 <= amount < 1_000_000:
        raise argparse.ArgumentTypeError(f'"{text}" is not an amount such as 59.00')
    return amount.quantize(CENT, ROUND_HALF_UP)


def a_count(text):
    if not text.isdecimal() or len(text) > 4:
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of days')
    return int(text)


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description="Decide on a refund by the rules of Voltbench.", allow_abbrev=False)
    parser.add_argument(
        "--reason", required=True, choices=["late-shipment", "opened-return", "dead-on-arrival", "warranty"]
    )
    parser.add_argument("--amount", required=True, type=an_amount, help="USD: the device's price, or the late order's total")
    parser.add_argument("--shipping", type=an_amount, default=Decimal("0.00"), help="shipping fee of the late order")
    parser.add_argument("--days_late", "--days-late", type=a_count, help="working days late, for late-shipment")
    parser.add_argument("--delivered", type=a_date, help="date of delivery, YYYY-MM-DD")
    parser.add_argument("--category", default="", help="as the order service prints it, for example computers")
    parser.add_argument("--incomplete", action="store_true", help="accessories are missing")
    parser.add_argument("--today", type=a_date, default=date.today(), help="decide as of this day (default: today)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    needed = "days_late" if arguments.reason == "late-shipment" else "delivered"
    if getattr(arguments, needed) is None:
        parser.error(f"--{needed} is needed with --reason {arguments.reason}")
    if arguments.delivered is not None and arguments.delivered > arguments.today:
        parser.error(f"--delivered {arguments.delivered} is after today, {arguments.today}")
    return arguments


def outcome(rule, because, decision="not-eligible", remedy=None, amount=None):
    return {
        "decision": decision,
        "rule": rule,
        "remedy": remedy,
        "amount": None if amount is None else str(amount),
        "currency": "USD",
        "because": because,
    }


def percent_of(amount, percent):
    return (amount * percent / 100).quantize(CENT, ROUND_HALF_UP)


def decide_late(total, shipping, days):
    because = f"{days} {'day' if days == 1 else 'days'} late"
    if days >= CREDIT_FROM:
        credit = min(percent_of(total, CREDIT_PERCENT), CREDIT_LIMIT)
        return outcome("B3", because, "eligible", f"shipping fee of {shipping} and credit of {credit}", shipping + credit)
    if days >= SHIPPING_BACK_FROM:
        if shipping == 0:
            return outcome("B2", f"{because}, but no shipping fee was paid")
        return outcome("B2", because, "eligible", "shipping fee back", shipping)
    return outcome("B1", f"{because}; compensation begins at {SHIPPING_BACK_FROM} days")


def decide_opened(amount, days, category, incomplete):
    if category == "software":
        return outcome("B4", "opened software cannot be given back")
    if days > RETURN_DAYS:
        return outcome("B7", f"{days} days since delivery, limit {RETURN_DAYS}")
    if incomplete:
        return outcome("B6", "accessories are missing", "needs-review")
    remedy = f"price less {RESTOCKING_PERCENT} % restocking fee"
    back = amount - percent_of(amount, RESTOCKING_PERCENT)
    return outcome("B5", f"{days} of {RETURN_DAYS} days used", "eligible", remedy, back)


def decide_broken(arguments, days):
    if arguments.reason == "dead-on-arrival" and days <= RETURN_DAYS:
        remedy = "new device, or the whole price back"
        return outcome("B8", f"{days} of {RETURN_DAYS} days used", "eligible", remedy, arguments.amount)
    limit = WARRANTY_DAYS.get(arguments.category, WARRANTY_DAYS_DEFAULT)
    if days <= limit:
        return outcome("B10", f"{days} of {limit} days used", "eligible", "repair, or a new device; no money back")
    return outcome("B11", f"{days} days since delivery, limit {limit}")


def decide(arguments):
    if arguments.reason == "late-shipment":
        return decide_late(arguments.amount, arguments.shipping, arguments.days_late)
    days = (arguments.today - arguments.delivered).days
    if arguments.reason == "opened-return":
        return decide_opened(arguments.amount, days, arguments.category, arguments.incomplete)
    return decide_broken(arguments, days)


def main(argv):
    arguments = parse_arguments(argv)
    arguments.category = arguments.category.strip().lower()
    result = decide(arguments)
    if result["amount"] is not None and Decimal(result["amount"]) > REVIEW_ABOVE:
        result = outcome("B0", f"more than {REVIEW_ABOVE} USD", "needs-review")
    if arguments.json:
        print(json.dumps(result))
    elif result["decision"] == "eligible":
        amount = f", {result['amount']} USD" if result["amount"] is not None else ""
        print(f"eligible: {result['remedy']}{amount} ({result['rule']}: {result['because']})")
    else:
        print(f"{result['decision']}: {result['because']} ({result['rule']})")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
