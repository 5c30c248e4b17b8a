-- What a run came to, as its page showed it last: a RunOutcome, with the proof of ready (SPEC §13.8). None of a run that another one had
-- followed before this was kept; those that loops still hold are written at the next start.
ALTER TABLE runs ADD COLUMN outcome_json TEXT;
