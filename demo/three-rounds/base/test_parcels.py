import unittest

import parcels


class Parcels(unittest.TestCase):
    def test_a_parcel_costs_its_share_of_a_kilogram(self):
        self.assertEqual(parcels.price({"home": 500}, "home", 2500), 1250)


if __name__ == "__main__":
    unittest.main()
