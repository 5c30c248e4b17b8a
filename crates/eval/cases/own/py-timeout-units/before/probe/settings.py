"""Settings of the probe, from the environment."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    host: str
    port: int


def load(environment=os.environ):
    return Settings(
        host=environment.get("PROBE_HOST", "localhost"),
        port=int(environment.get("PROBE_PORT", "7000")),
    )
