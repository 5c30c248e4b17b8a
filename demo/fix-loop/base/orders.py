"""Reads orders and sums them up."""

import csv
import io


def load(text):
    """Reads orders from CSV with the columns `item` and `amount`."""
    return [(row["item"], int(row["amount"])) for row in csv.DictReader(io.StringIO(text))]


def total(orders):
    """Sums up the amounts of each item."""
    sums = {}
    for item, amount in orders:
        sums[item] = sums.get(item, 0) + amount
    return sums
