import unittest

from ledger.accounts import Account
from ledger.transfers import Refused, statement, transfer


class Accounts(unittest.TestCase):
    def test_a_new_one_is_empty(self):
        self.assertEqual(Account("till").cents, 0)


class Transfers(unittest.TestCase):
    def test_what_is_refused_moves_nothing(self):
        source, target = Account("till"), Account("bank")
        with self.assertRaises(Refused):
            transfer(source, target, 100)
        self.assertEqual((source.cents, target.cents), (0, 0))

    def test_a_statement_leaves_earlier_days_out(self):
        self.assertEqual(statement([{"day": "2026-01-01"}], "2026-01-02"), [])
