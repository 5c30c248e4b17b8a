"""Accounts and what is on them, in whole cents."""


class Account:
    def __init__(self, name):
        self.name = name
        self.cents = 0
