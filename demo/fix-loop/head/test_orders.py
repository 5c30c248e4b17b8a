import unittest

import orders


class Orders(unittest.TestCase):
    def test_amounts_of_an_item_are_summed_up(self):
        loaded, broken = orders.load("item,amount\npear,2\nfig,1\npear,3\n")
        self.assertEqual(orders.total(loaded), {"pear": 5, "fig": 1})
        self.assertEqual(broken, 0)

    def test_json_is_read_too(self):
        loaded, broken = orders.load('[{"item": "fig", "amount": 4}, {"amount": 1}]', "json")
        self.assertEqual(loaded, [("fig", 4)])
        self.assertEqual(broken, 1)


if __name__ == "__main__":
    unittest.main()
