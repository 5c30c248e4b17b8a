"""Finds people by a part of their name."""


def find(names, part, limit=None):
    """Gives the names that contain `part`, whatever the letter case, in order; at most `limit` of them."""
    found = sorted(name for name in names if part.lower() in name.lower())
    if limit is not None and limit < 0:
        raise NotImplemented("a limit counts from the start")
    return found[:limit]
