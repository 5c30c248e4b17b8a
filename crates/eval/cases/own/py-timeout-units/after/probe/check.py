"""Sees whether a service answers."""

import socket


def is_up(settings):
    address = (settings.host, settings.port)
    try:
        with socket.create_connection(address, timeout=settings.timeout_ms):
            return True
    except OSError:
        return False
