-- What `collie review` and `collie eval` spend beside the engine (SPEC §15). Kept for ever: it is small.
CREATE TABLE command_spending (
    day             TEXT    NOT NULL,
    -- The pull request; empty and 0 where there is none on any host.
    host            TEXT    NOT NULL,
    repo_id         TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    -- By the name of the moment, as OWNER/REPO; empty where there is none.
    repo            TEXT    NOT NULL,
    model           TEXT    NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_micros     INTEGER NOT NULL,
    unpriced_tokens INTEGER NOT NULL,
    unpriced        INTEGER NOT NULL,
    PRIMARY KEY (day, host, repo_id, number, model)
) STRICT;

-- What their questions may still come to, a row for each of those who ask. One whose process died counts for an hour.
CREATE TABLE command_reservations (
    session         TEXT    NOT NULL PRIMARY KEY,
    at              INTEGER NOT NULL,
    day             TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    repo_id         TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_micros     INTEGER NOT NULL,
    unpriced_tokens INTEGER NOT NULL,
    unpriced        INTEGER NOT NULL
) STRICT;
