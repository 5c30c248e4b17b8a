-- Loops that live in an engine elsewhere and are only shown here (SPEC §18.5): how many events of each are known, and how many changes of that
-- engine. Both are empty where this data folder's own engine runs its loops.
CREATE TABLE projected_loops (
    loop    INTEGER PRIMARY KEY REFERENCES loops (id),
    version INTEGER NOT NULL
) STRICT;
CREATE TABLE projection (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    position INTEGER NOT NULL
) STRICT;
