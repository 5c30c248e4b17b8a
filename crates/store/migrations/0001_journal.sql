-- The journal (SPEC §10.1). All *_json columns hold serde forms of the domain's types: a change of
-- their shape that old data does not fit needs a migration, so that the schema's version covers them.
-- Times are milliseconds since 1970 in UTC.

-- One row a loop: its present state.
CREATE TABLE loops (
    id          INTEGER PRIMARY KEY,
    host        TEXT    NOT NULL,
    repo_id     TEXT    NOT NULL,
    number      INTEGER NOT NULL,
    owner       TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    run         TEXT    NOT NULL,
    -- Version of state_json; the same number is in the checkpoints.
    version     INTEGER NOT NULL,
    state_json  TEXT    NOT NULL,
    created_by  TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    -- The last journal entry, and the last one that changed anything a checkpoint shows.
    journal_seq INTEGER NOT NULL,
    visible_seq INTEGER NOT NULL,
    -- Its checkpoint, below the folder of checkpoints, with forward slashes. Letter case does not tell
    -- two apart, since it does not on every file system.
    checkpoint  TEXT    NOT NULL UNIQUE COLLATE NOCASE,
    UNIQUE (host, repo_id, number)
) STRICT;

-- Events that were received and not applied. Applying one moves it to the journal.
CREATE TABLE inbox (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    loop        INTEGER NOT NULL REFERENCES loops (id),
    event       TEXT    NOT NULL,
    event_json  TEXT    NOT NULL,
    received_at INTEGER NOT NULL
) STRICT;

-- What happened, one row an event.
CREATE TABLE journal (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    loop         INTEGER NOT NULL REFERENCES loops (id),
    run          TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    -- Its number in the inbox; none for what did not come through it.
    inbox_seq    INTEGER,
    event        TEXT    NOT NULL,
    -- Not kept for readings of GitHub: they are large, and the next one says it all anew.
    event_json   TEXT,
    from_state   TEXT,
    to_state     TEXT    NOT NULL,
    effects_json TEXT    NOT NULL,
    notes_json   TEXT    NOT NULL,
    -- A reading that changed nothing: the next such one takes its place.
    quiet        INTEGER NOT NULL
) STRICT;
CREATE INDEX journal_by_loop ON journal (loop, seq);

-- Effects that were asked for and not answered.
CREATE TABLE outbox (
    ord           INTEGER PRIMARY KEY AUTOINCREMENT,
    effect_id     TEXT    NOT NULL UNIQUE,
    loop          INTEGER NOT NULL REFERENCES loops (id),
    effect_json   TEXT    NOT NULL,
    -- The body, stored before it is sent (SPEC §8.2).
    rendered_json TEXT,
    in_doubt      INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_by_loop ON outbox (loop);

-- Wishes of other processes and of the user.
CREATE TABLE requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    request_json TEXT    NOT NULL,
    asked_by     TEXT    NOT NULL,
    asked_at     INTEGER NOT NULL,
    answered     INTEGER NOT NULL DEFAULT 0,
    refusal      TEXT
) STRICT;
CREATE INDEX requests_open ON requests (id) WHERE answered = 0;
