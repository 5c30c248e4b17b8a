"""Sees whether a service answers."""

import socket


def is_up(settings):
    try:
        with socket.create_connection((settings.host, settings.port), timeout=1.5):
            return True
    except OSError:
        return False
