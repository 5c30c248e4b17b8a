"""Settings of the probe, from the environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    host: str
    port: int
    timeout_ms: int


def load(environment=os.environ):
    return Settings(
        host=environment.get("PROBE_HOST", "localhost"),
        port=int(environment.get("PROBE_PORT", "7000")),
        timeout_ms=int(environment.get("PROBE_TIMEOUT_MS", "1500")),
    )
