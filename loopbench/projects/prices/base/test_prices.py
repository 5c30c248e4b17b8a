import unittest

import prices


class Subtotal(unittest.TestCase):
    def test_adds_up(self):
        self.assertEqual(prices.subtotal([(250, 2), (100, 1)]), 600)


if __name__ == "__main__":
    unittest.main()
