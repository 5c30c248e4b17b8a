"""Prices of a basket, in whole cents."""


def subtotal(lines):
    """Adds up (cents, quantity) pairs."""
    return sum(cents * quantity for cents, quantity in lines)
