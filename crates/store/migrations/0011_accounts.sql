-- GitHub accounts of personas and of authors' agents (SPEC §18.2). A token lies here encrypted, under a key that is kept elsewhere; `key_id` tells
-- which key without giving anything of it away. An account whose token was removed keeps its row: what it has said stays Collie's own.
CREATE TABLE own_accounts (
    host     TEXT    NOT NULL,
    account  INTEGER NOT NULL,
    login    TEXT    NOT NULL,
    key_id   TEXT    NOT NULL,
    sealed   BLOB,
    added_at INTEGER NOT NULL,
    PRIMARY KEY (host, account)
) STRICT, WITHOUT ROWID;
