-- What models and agents spent, one row a day by the clock of the machine (SPEC §15). Kept for ever: it is small.
CREATE TABLE spending (
    day             TEXT    NOT NULL PRIMARY KEY,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_micros     INTEGER NOT NULL,
    unpriced_tokens INTEGER NOT NULL,
    unpriced        INTEGER NOT NULL
) STRICT;
