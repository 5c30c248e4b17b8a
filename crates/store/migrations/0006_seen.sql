-- Requests from outside that were taken already, by hashed id: webhook deliveries and events of the API (SPEC §18.1). Kept for some days.
CREATE TABLE seen (
    id TEXT    NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX seen_by_age ON seen (at);
