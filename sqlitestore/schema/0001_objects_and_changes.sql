-- The objects as they are now, and the log of every change that made them so.
--
-- Anybody may write the table objects with plain SQL while Kubarium runs, for example
--
--     UPDATE objects SET value = json_set(value, '$.data.k', 'v') WHERE resource = 'configmaps' AND name = 'a';
--
-- The triggers below give each change its revision and write it to the log, which Kubarium follows. They use built-in
-- SQL alone, of what SQLite 3.32 (2020) knows, so that every shell can fire them.

CREATE TABLE objects (
    resource  TEXT NOT NULL,           -- 'configmaps', 'deployments.apps'
    key       TEXT NOT NULL,           -- 'namespace/name', or 'name'
    value     TEXT NOT NULL,           -- JSON without metadata.resourceVersion
    revision  INTEGER NOT NULL DEFAULT 0, -- of the change that made this version; set by the triggers
    namespace TEXT AS (iif(instr(key, '/'), substr(key, 1, instr(key, '/') - 1), '')) VIRTUAL,
    name      TEXT AS (substr(key, instr(key, '/') + 1)) VIRTUAL,
    PRIMARY KEY (resource, key)
);

CREATE TABLE changes (
    revision        INTEGER PRIMARY KEY,
    type            TEXT NOT NULL,     -- 'C' created, 'U' updated, 'D' deleted
    resource        TEXT NOT NULL,
    key             TEXT NOT NULL,
    value           TEXT,              -- after the change; NULL if it deleted the object
    before_revision INTEGER NOT NULL,  -- of the version that the change met; 0 if there was none
    at              INTEGER NOT NULL,  -- milliseconds since 1970
    outside         INTEGER NOT NULL   -- 1 if plain SQL made the change
);

CREATE INDEX changes_by_key ON changes (resource, key, revision, type);

-- One row. revision is the newest one given; it only grows, whatever happens to the rows of the log.
CREATE TABLE store (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    revision   INTEGER NOT NULL,
    compacted  INTEGER NOT NULL,       -- changes up to and with this one are no longer told
    readable   INTEGER NOT NULL,       -- the oldest revision at which objects can be read
    swept      INTEGER NOT NULL,       -- the removal of old rows has come so far; compacted is its goal
    writing_at INTEGER                 -- the time, while Kubarium writes; NULL for everybody else: it is set and
                                       -- unset in one transaction, so that nobody else ever sees it
);

INSERT INTO store VALUES (1, 0, 0, 0, 0, NULL);

-- The type and the predecessor of a change come from the previous row of the log of that key, not from the statement:
-- a REPLACE of an object is an update, an INSERT after a DELETE is a creation.

CREATE TRIGGER objects_insert AFTER INSERT ON objects BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT s.revision, iif(p.revision, 'U', 'C'), NEW.resource, NEW.key, NEW.value, ifnull(p.revision, 0),
           ifnull(s.writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), s.writing_at IS NULL
    FROM store AS s LEFT JOIN (
        SELECT iif(type = 'D', NULL, revision) AS revision FROM changes
        WHERE resource = NEW.resource AND key = NEW.key ORDER BY changes.revision DESC LIMIT 1) AS p;
    UPDATE objects SET revision = (SELECT revision FROM store)
    WHERE resource = NEW.resource AND key = NEW.key AND revision <> (SELECT revision FROM store);
END;

CREATE TRIGGER objects_update AFTER UPDATE OF resource, key, value ON objects
WHEN NEW.resource IS OLD.resource AND NEW.key IS OLD.key AND NEW.value IS NOT OLD.value BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT s.revision, iif(p.revision, 'U', 'C'), NEW.resource, NEW.key, NEW.value, ifnull(p.revision, 0),
           ifnull(s.writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), s.writing_at IS NULL
    FROM store AS s LEFT JOIN (
        SELECT iif(type = 'D', NULL, revision) AS revision FROM changes
        WHERE resource = NEW.resource AND key = NEW.key ORDER BY changes.revision DESC LIMIT 1) AS p;
    UPDATE objects SET revision = (SELECT revision FROM store)
    WHERE resource = NEW.resource AND key = NEW.key AND revision <> (SELECT revision FROM store);
END;

-- A renamed key is the deletion of one object and the creation (or the update) of another.
CREATE TRIGGER objects_rename AFTER UPDATE OF resource, key, value ON objects
WHEN NEW.resource IS NOT OLD.resource OR NEW.key IS NOT OLD.key BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT s.revision, 'D', OLD.resource, OLD.key, NULL, ifnull(p.revision, 0),
           ifnull(s.writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), s.writing_at IS NULL
    FROM store AS s LEFT JOIN (
        SELECT iif(type = 'D', NULL, revision) AS revision FROM changes
        WHERE resource = OLD.resource AND key = OLD.key ORDER BY changes.revision DESC LIMIT 1) AS p;
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT s.revision, iif(p.revision, 'U', 'C'), NEW.resource, NEW.key, NEW.value, ifnull(p.revision, 0),
           ifnull(s.writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), s.writing_at IS NULL
    FROM store AS s LEFT JOIN (
        SELECT iif(type = 'D', NULL, revision) AS revision FROM changes
        WHERE resource = NEW.resource AND key = NEW.key ORDER BY changes.revision DESC LIMIT 1) AS p;
    UPDATE objects SET revision = (SELECT revision FROM store)
    WHERE resource = NEW.resource AND key = NEW.key AND revision <> (SELECT revision FROM store);
END;

CREATE TRIGGER objects_delete AFTER DELETE ON objects BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT s.revision, 'D', OLD.resource, OLD.key, NULL, ifnull(p.revision, 0),
           ifnull(s.writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), s.writing_at IS NULL
    FROM store AS s LEFT JOIN (
        SELECT iif(type = 'D', NULL, revision) AS revision FROM changes
        WHERE resource = OLD.resource AND key = OLD.key ORDER BY changes.revision DESC LIMIT 1) AS p;
END;
