-- What figures over many runs are made of (SPEC §13.8). Kept for ever: a row a run is small.
CREATE TABLE runs (
    loop         INTEGER NOT NULL REFERENCES loops (id),
    run          TEXT    NOT NULL,
    host         TEXT    NOT NULL,
    repo_id      TEXT    NOT NULL,
    -- By the name of the moment, as OWNER/REPO.
    repo         TEXT    NOT NULL,
    number       INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    -- When it first was ready, and when it ended.
    ready_at     INTEGER,
    ended_at     INTEGER,
    state        TEXT    NOT NULL,
    -- A RunRecord; none of a run that was over before this was kept.
    record_json  TEXT,
    -- Another run went on with its findings.
    is_continued INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (loop, run)
) STRICT;

-- The journal knows the times of all runs before. The rest of those that the loops still hold is written at the next start.
INSERT INTO runs (loop, run, host, repo_id, repo, number, started_at, ready_at, ended_at, state)
SELECT loops.id, times.run, host, repo_id, owner || '/' || name, number, started_at, ready_at, ended_at,
       (SELECT to_state FROM journal WHERE journal.seq = times.last_seq)
FROM (
    SELECT loop, run, min(at) AS started_at, max(seq) AS last_seq,
           min(CASE WHEN to_state = 'pr_ready_to_merge' THEN at END) AS ready_at,
           min(CASE WHEN to_state IN ('merged', 'closed', 'cancelled', 'needs_human', 'failed') THEN at END)
               AS ended_at
    FROM journal GROUP BY loop, run
) AS times JOIN loops ON loops.id = times.loop;

-- What was spent in each repository on each model. `spending` has the whole; the rest of that came before this was kept.
CREATE TABLE model_spending (
    day             TEXT    NOT NULL,
    host            TEXT    NOT NULL,
    repo_id         TEXT    NOT NULL,
    -- Empty where nobody knows any more which it was.
    model           TEXT    NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_micros     INTEGER NOT NULL,
    unpriced_tokens INTEGER NOT NULL,
    unpriced        INTEGER NOT NULL,
    PRIMARY KEY (day, host, repo_id, model)
) STRICT;
