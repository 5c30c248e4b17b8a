import unittest

import prices


class Subtotal(unittest.TestCase):
    def test_adds_up(self):
        self.assertEqual(prices.subtotal([(250, 2), (100, 1)]), 600)


class Discounted(unittest.TestCase):
    def test_takes_percent_off(self):
        self.assertEqual(prices.discounted(1000, 25), 750)


class Cheapest(unittest.TestCase):
    def test_is_of_one_piece(self):
        self.assertEqual(prices.cheapest([(250, 2), (100, 1)]), 100)


if __name__ == "__main__":
    unittest.main()
