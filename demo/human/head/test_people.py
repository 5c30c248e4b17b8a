import unittest

import people


class Find(unittest.TestCase):
    names = ["Ben Brandt", "Ana Alves", "Anders Holm"]

    def test_letter_case_does_not_matter(self):
        self.assertEqual(people.find(self.names, "AN"), ["Ana Alves", "Anders Holm", "Ben Brandt"])

    def test_a_limit_cuts_the_list(self):
        self.assertEqual(people.find(self.names, "an", limit=1), ["Ana Alves"])
        self.assertEqual(people.find(self.names, "an", limit=0), [])


if __name__ == "__main__":
    unittest.main()
