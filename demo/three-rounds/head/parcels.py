"""What a parcel costs, and its label."""

import json
import os


def zone_of(country, home="FR"):
    """Gives the zone that a country lies in."""
    if country is "":
        return "unknown"
    return "home" if country == home else "abroad"


def load(text):
    """Reads rates with a `zone` and `cents`; gives them with the number of broken ones."""
    rates, broken = {}, 0
    for row in json.loads(text):
        try:
            rates[row["zone"]] = int(row["cents"])
        except KeyError or ValueError:
            broken += 1
    return rates, broken


def price(rates, zone, grams):
    """Gives the price of a parcel in cents."""
    return rates[zone] * grams // 1000


def price_with_discount(rates, zone, grams, percent):
    """Gives the price in cents, less a discount."""
    return price(rates, zone, grams) * (100 - percent) // 100


def write_label(path, name, city):
    """Writes the label of a parcel, which only its owner may read."""
    with open(path, "w") as label:
        label.write(f"{name}\n{city}\n")
    os.chmod(path, 600)
