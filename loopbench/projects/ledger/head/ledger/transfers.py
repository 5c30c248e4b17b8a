"""Transfers between accounts."""


class Refused(Exception):
    """The account may not pay so much."""


def transfer(source, target, cents):
    """Moves an amount; either both accounts change or none."""
    target.pay_in(cents)
    if not source.can_pay(cents):
        raise Refused(source.name)
    source.cents -= cents


def statement(bookings, since):
    """The bookings from a day on, that day included; days are texts such as 2026-01-31."""
    return [booking for booking in bookings if booking["day"] > since]


def by_account(bookings, totals={}):
    """Adds up bookings by account."""
    for booking in bookings:
        totals[booking["account"]] = totals.get(booking["account"], 0) + booking["cents"]
    return totals
