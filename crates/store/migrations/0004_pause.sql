-- That a person has paused everything (SPEC §15); no row where nothing is paused.
CREATE TABLE pause (
    only_row  INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    paused_by TEXT    NOT NULL,
    since     INTEGER NOT NULL
) STRICT;
