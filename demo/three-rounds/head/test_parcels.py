import tempfile
import unittest
from pathlib import Path

import parcels


class Parcels(unittest.TestCase):
    def test_a_parcel_costs_its_share_of_a_kilogram(self):
        self.assertEqual(parcels.price({"home": 500}, "home", 2500), 1250)

    def test_a_discount_is_taken_off(self):
        self.assertEqual(parcels.price_with_discount({"home": 500}, "home", 2000, 10), 900)

    def test_a_broken_rate_is_counted(self):
        rates, broken = parcels.load('[{"zone": "home", "cents": 500}, {"cents": 1}]')
        self.assertEqual(rates, {"home": 500})
        self.assertEqual(broken, 1)

    def test_a_label_has_name_and_city(self):
        with tempfile.TemporaryDirectory() as folder:
            label = Path(folder) / "label.txt"
            parcels.write_label(label, "Kim", "Lyon")
            label.chmod(0o600)
            self.assertEqual(label.read_text(), "Kim\nLyon\n")


if __name__ == "__main__":
    unittest.main()
