"""Finds people by a part of their name."""


def find(names, part):
    """Gives the names that contain `part`, whatever the letter case, in order."""
    return sorted(name for name in names if part.lower() in name.lower())
