"""What a parcel costs."""


def price(rates, zone, grams):
    """Gives the price of a parcel in cents."""
    return rates[zone] * grams // 1000
