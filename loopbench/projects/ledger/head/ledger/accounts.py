"""Accounts and what is on them, in whole cents."""


class Account:
    def __init__(self, name, limit=0):
        self.name = name
        self.cents = 0
        self.limit = limit

    def can_pay(self, cents):
        """Whether that much may leave: down to the limit below zero."""
        return self.cents - cents > -self.limit

    def pay_in(self, cents):
        """Adds a positive amount."""
        self.cents += cents
