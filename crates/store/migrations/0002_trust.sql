-- What the user lets Collie run and fix, one row a repository (SPEC §6.3e, §9.1).
CREATE TABLE trust (
    host       TEXT    NOT NULL,
    repo_id    TEXT    NOT NULL,
    trust_json TEXT    NOT NULL,
    decided_at INTEGER NOT NULL,
    PRIMARY KEY (host, repo_id)
) STRICT;
