-- The states that one can go back to. What the objects were at these revisions stays in the log, whatever is compacted.

CREATE TABLE snapshots (
    name     TEXT PRIMARY KEY,
    revision INTEGER NOT NULL, -- of which the state is
    at       INTEGER NOT NULL  -- when it was saved, in milliseconds since 1970
) WITHOUT ROWID;

CREATE INDEX snapshots_by_revision ON snapshots (revision);
