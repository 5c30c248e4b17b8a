import unittest

import people


class Find(unittest.TestCase):
    names = ["Ben Brandt", "Ana Alves", "Anders Holm"]

    def test_letter_case_does_not_matter(self):
        self.assertEqual(people.find(self.names, "AN"), ["Ana Alves", "Anders Holm", "Ben Brandt"])


if __name__ == "__main__":
    unittest.main()
