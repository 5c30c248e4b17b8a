"""What customers used. Times are UTC, stored without an offset."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Record:
    customer: str
    used_at: datetime
    units: int


def total(records, customer):
    return sum(record.units for record in records if record.customer == customer)
