-- The triggers again: the same results, and less work for what Kubarium writes.
--
-- What a change met is the old row, as that has the revision of its version, and an INSERT of Kubarium's own replaces nothing.
-- Kubarium's statements say in NEW.revision which revision they are about to be given. Whatever does not say it is somebody
-- else's: then the log is asked once more for the type and the predecessor, as a REPLACE shows no old row and anybody can write
-- the column revision, and the object gets its revision. Where it is said, those two statements look for the row NULL, and
-- read nothing. Nothing here needs a temporary table, as a SELECT that reads the table into which it inserts would.
--
-- last_insert_rowid() is, within a trigger, the revision of the row of the log that the trigger has written last.

DROP TRIGGER objects_insert;
DROP TRIGGER objects_update;
DROP TRIGGER objects_rename;
DROP TRIGGER objects_delete;

CREATE TRIGGER objects_insert AFTER INSERT ON objects BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT revision, 'C', NEW.resource, NEW.key, NEW.value, 0,
           ifnull(writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), writing_at IS NULL
    FROM store;
    UPDATE changes SET
        type = iif((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 'U', 'C'),
        before_revision = ifnull((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 0)
    WHERE revision = iif(NEW.revision = last_insert_rowid(), NULL, last_insert_rowid());
    UPDATE objects SET revision = last_insert_rowid()
    WHERE rowid = iif(NEW.revision = last_insert_rowid(), NULL, NEW.rowid);
END;

CREATE TRIGGER objects_update AFTER UPDATE OF resource, key, value ON objects
WHEN NEW.resource IS OLD.resource AND NEW.key IS OLD.key AND NEW.value IS NOT OLD.value BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT revision, 'U', NEW.resource, NEW.key, NEW.value, OLD.revision,
           ifnull(writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), writing_at IS NULL
    FROM store;
    UPDATE changes SET
        type = iif((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 'U', 'C'),
        before_revision = ifnull((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 0)
    WHERE revision = iif(NEW.revision = last_insert_rowid(), NULL, last_insert_rowid());
    UPDATE objects SET revision = last_insert_rowid()
    WHERE rowid = iif(NEW.revision = last_insert_rowid(), NULL, NEW.rowid);
END;

-- A renamed key is the deletion of one object and the creation (or the update) of another.
CREATE TRIGGER objects_rename AFTER UPDATE OF resource, key, value ON objects
WHEN NEW.resource IS NOT OLD.resource OR NEW.key IS NOT OLD.key BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT revision, 'D', OLD.resource, OLD.key, NULL, 0,
           ifnull(writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), writing_at IS NULL
    FROM store;
    UPDATE changes SET
        before_revision = ifnull((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = OLD.resource AND p.key = OLD.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 0)
    WHERE revision = last_insert_rowid();
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT revision, 'C', NEW.resource, NEW.key, NEW.value, 0,
           ifnull(writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), writing_at IS NULL
    FROM store;
    UPDATE changes SET
        type = iif((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 'U', 'C'),
        before_revision = ifnull((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = NEW.resource AND p.key = NEW.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 0)
    WHERE revision = last_insert_rowid();
    UPDATE objects SET revision = last_insert_rowid()
    WHERE rowid = iif(NEW.revision = last_insert_rowid(), NULL, NEW.rowid);
END;

CREATE TRIGGER objects_delete AFTER DELETE ON objects BEGIN
    UPDATE store SET revision = revision + 1;
    INSERT INTO changes
    SELECT revision, 'D', OLD.resource, OLD.key, NULL, OLD.revision,
           ifnull(writing_at, CAST((julianday('now') - 2440587.5) * 86400000 + 0.5 AS INTEGER)), writing_at IS NULL
    FROM store;
    UPDATE changes SET
        before_revision = ifnull((SELECT iif(p.type = 'D', NULL, p.revision) FROM changes AS p
            WHERE p.resource = OLD.resource AND p.key = OLD.key AND p.revision < last_insert_rowid() ORDER BY p.revision DESC LIMIT 1), 0)
    WHERE revision = last_insert_rowid() AND outside;
END;
