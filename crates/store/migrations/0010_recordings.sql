-- What `collie replay` folds again (SPEC §10, §14): a row for an entry of the journal, as differences (docs/decisions/0051). What happened is
-- in the journal; this may be let go of, and is, some time after its run has ended.
CREATE TABLE recordings (
    seq          INTEGER PRIMARY KEY REFERENCES journal (seq) ON DELETE CASCADE,
    loop         INTEGER NOT NULL REFERENCES loops (id),
    run          TEXT    NOT NULL,
    -- Version of the states, as in `loops`.
    version      INTEGER NOT NULL,
    -- The state before, whole; only where the chain of differences begins anew. Each BLOB here is a frame of Zstandard with its checksum.
    before       BLOB,
    -- What was read of GitHub; for every other event the journal has its text. A difference from the reading of `reading_base`, whole
    -- where that is none.
    reading      BLOB,
    reading_base INTEGER,
    -- The times of reading of the state before, where they are not those of the entry before.
    times_json   TEXT,
    -- The state after, as a difference from the state before and the event.
    after        BLOB    NOT NULL
) STRICT;
CREATE INDEX recordings_by_run ON recordings (loop, run);
