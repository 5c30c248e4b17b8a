"""Sessions of signed-in users."""

from dataclasses import dataclass
from datetime import datetime, timezone


@dataclass(frozen=True)
class Session:
    user_id: int
    token: str
    expires_at: datetime


class SessionError(Exception):
    """The session cannot be used."""


class SessionStore:
    def __init__(self, sessions):
        self._by_token = {session.token: session for session in sessions}

    def find(self, token):
        """The session of a token, unless it has expired."""
        session = self._by_token.get(token)
        if session is None:
            raise SessionError("unknown token")
        if session.expires_at <= datetime.now(timezone.utc):
            raise SessionError("the session has expired")
        return session
