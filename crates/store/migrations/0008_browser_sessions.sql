-- Browsers that are signed in to a server (SPEC §18.1). A session's id is kept only as its hash, and the person's token sealed with a key made of
-- the id: what lies here opens neither.
CREATE TABLE browser_sessions (
    id_hash    TEXT    NOT NULL PRIMARY KEY,
    account    INTEGER NOT NULL,
    login      TEXT    NOT NULL,
    begun_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    sealed     BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX browser_sessions_by_account ON browser_sessions (account);
CREATE INDEX browser_sessions_by_end ON browser_sessions (expires_at);
