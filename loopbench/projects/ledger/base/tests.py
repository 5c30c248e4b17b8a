import unittest

from ledger.accounts import Account


class Accounts(unittest.TestCase):
    def test_a_new_one_is_empty(self):
        self.assertEqual(Account("till").cents, 0)
