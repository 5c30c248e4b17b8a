-- Views of loops that live elsewhere (SPEC §18.5). The columns are those of the SQLite journal (crates/store/migrations), with the same JSON.
-- Times are milliseconds since 1970 in UTC.

-- One row: which database this is, whose loops it shows, and how many changes of that engine it knows. Whoever writes locks it first.
CREATE TABLE projection (
    only_row    BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    -- Made once: a server that runs notices that the database was replaced.
    database_id TEXT    NOT NULL,
    engine      TEXT,
    position    BIGINT
);
INSERT INTO projection (database_id) VALUES (gen_random_uuid()::text);

CREATE TABLE loops (
    id                BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    host              TEXT   NOT NULL,
    repo_id           TEXT   NOT NULL,
    number            BIGINT NOT NULL,
    -- Version of state_json.
    version           BIGINT NOT NULL,
    state_json        TEXT   NOT NULL,
    -- How many events of it are known.
    projected_version BIGINT NOT NULL,
    UNIQUE (host, repo_id, number)
);

CREATE TABLE journal (
    seq          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    loop         BIGINT  NOT NULL REFERENCES loops (id),
    run          TEXT    NOT NULL,
    at           BIGINT  NOT NULL,
    event        TEXT    NOT NULL,
    event_json   TEXT,
    from_state   TEXT,
    to_state     TEXT    NOT NULL,
    effects_json TEXT    NOT NULL,
    notes_json   TEXT    NOT NULL,
    quiet        BOOLEAN NOT NULL
);
CREATE INDEX journal_by_loop ON journal (loop, seq);

-- What a replay needs. Each entry is whole: two servers write in turns, so none builds on what it wrote before.
CREATE TABLE recordings (
    seq          BIGINT PRIMARY KEY REFERENCES journal (seq) ON DELETE CASCADE,
    loop         BIGINT NOT NULL REFERENCES loops (id),
    run          TEXT   NOT NULL,
    version      BIGINT NOT NULL,
    before       BYTEA,
    reading      BYTEA,
    reading_base BIGINT,
    times_json   TEXT,
    after        BYTEA  NOT NULL
);
CREATE INDEX recordings_by_run ON recordings (loop, run);

CREATE TABLE runs (
    ord          BIGINT  GENERATED ALWAYS AS IDENTITY,
    loop         BIGINT  NOT NULL REFERENCES loops (id),
    run          TEXT    NOT NULL,
    host         TEXT    NOT NULL,
    repo_id      TEXT    NOT NULL,
    repo         TEXT    NOT NULL,
    number       BIGINT  NOT NULL,
    started_at   BIGINT  NOT NULL,
    ready_at     BIGINT,
    ended_at     BIGINT,
    state        TEXT    NOT NULL,
    record_json  TEXT    NOT NULL,
    outcome_json TEXT    NOT NULL,
    is_continued BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (loop, run)
);

CREATE TABLE spending (
    day             TEXT    NOT NULL PRIMARY KEY,
    input_tokens    BIGINT  NOT NULL,
    output_tokens   BIGINT  NOT NULL,
    cost_micros     BIGINT  NOT NULL,
    unpriced_tokens BIGINT  NOT NULL,
    unpriced        BOOLEAN NOT NULL
);

CREATE TABLE model_spending (
    day             TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    repo_id         TEXT    NOT NULL,
    -- Empty where nobody knows which it was.
    model           TEXT    NOT NULL,
    input_tokens    BIGINT  NOT NULL,
    output_tokens   BIGINT  NOT NULL,
    cost_micros     BIGINT  NOT NULL,
    unpriced_tokens BIGINT  NOT NULL,
    unpriced        BOOLEAN NOT NULL,
    PRIMARY KEY (day, host, repo_id, model)
);

CREATE TABLE pause (
    only_row  BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (only_row),
    paused_by TEXT    NOT NULL,
    since     BIGINT  NOT NULL
);

CREATE TABLE seen (
    id TEXT   NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE INDEX seen_by_age ON seen (at);

-- A session's id is kept only as its hash, and the person's token sealed with a key made of the id: what lies here opens neither.
CREATE TABLE browser_sessions (
    id_hash    TEXT   NOT NULL PRIMARY KEY,
    account    BIGINT NOT NULL,
    login      TEXT   NOT NULL,
    begun_at   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sealed     BYTEA  NOT NULL
);
CREATE INDEX browser_sessions_by_account ON browser_sessions (account);
CREATE INDEX browser_sessions_by_end ON browser_sessions (expires_at);
