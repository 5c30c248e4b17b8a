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


def total_today(records, customer):
    """What a customer has used since midnight UTC."""
    midnight = datetime.now().replace(hour=0, minute=0, second=0, microsecond=0)
    today = [record for record in records if record.used_at >= midnight]
    return total(today, customer)
