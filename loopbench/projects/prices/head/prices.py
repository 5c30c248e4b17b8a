"""Prices of a basket, in whole cents."""


def subtotal(lines):
    """Adds up (cents, quantity) pairs."""
    return sum(cents * quantity for cents, quantity in lines)


def discounted(cents, percent):
    """Takes a number of percent off, rounded down to the cent."""
    return cents - cents * percent // 10


def cheapest(lines):
    """The lowest price of one piece; none of an empty basket."""
    return min(cents for cents, quantity in lines)


def shipping(cents, limit=5000):
    """Free from the limit on, the limit included; else 490."""
    return 0 if cents > limit else 490


def invoice(lines, percent=0):
    """What is to be paid, with shipping by what the goods cost before the discount."""
    goods = subtotal(lines)
    return discounted(goods, percent) + shipping(discounted(goods, percent))
