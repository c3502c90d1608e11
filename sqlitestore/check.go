package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// checkIntegrity asks SQLite what contradicts its file format.
const checkIntegrity = `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`

// checkObjects asks which objects contradict the change log.
const checkObjects = `SELECT 'object ' || resource || '/' || key || ' is not what the log says at ' || revision FROM objects AS o
	WHERE NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.revision = o.revision AND c.resource = o.resource AND c.key = o.key AND c.value IS o.value)
	OR EXISTS (SELECT 1 FROM changes AS c WHERE c.resource = o.resource AND c.key = o.key AND c.revision > o.revision)`

// checks are further questions about the file whose answer must be no row. Each row is a text that says what is wrong.
var checks = []string{
	`SELECT 'change ' || revision || ' left an object that is not there' FROM changes AS c WHERE type <> 'D'
	AND NOT EXISTS (SELECT 1 FROM changes AS n WHERE n.resource = c.resource AND n.key = c.key AND n.revision > c.revision)
	AND NOT EXISTS (SELECT 1 FROM objects AS o WHERE o.resource = c.resource AND o.key = c.key)`,
	`SELECT 'change ' || c.revision || ' names the predecessor ' || before_revision FROM changes AS c, store AS s
	WHERE c.revision > s.compacted AND before_revision <> ifnull((SELECT iif(type = 'D', 0, revision) FROM changes AS p
	WHERE p.resource = c.resource AND p.key = c.key AND p.revision < c.revision ORDER BY p.revision DESC LIMIT 1), 0)`,
	`SELECT 'change ' || revision || ' lies above the newest revision' FROM changes WHERE revision > (SELECT revision FROM store)`,
	`SELECT 'the mark of a writer was left' FROM store WHERE writing_at IS NOT NULL`,
}

// checkSnapshots is one more, for files that have had the second step of the schema.
const checkSnapshots = `SELECT 'snapshot ' || name || ' lies above the newest revision' FROM snapshots WHERE revision > (SELECT revision FROM store)`

// Check reads the whole file and returns an error that names everything in it that contradicts itself, nil if nothing
// does. It does not look into values: a text that is not JSON is no contradiction. Examine does.
func (s *Store) Check(ctx context.Context) error {
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s.explain("check", err)
	}
	defer tx.Rollback() // it has nothing to commit
	var wrong []error
	for _, question := range slices.Concat([]string{checkIntegrity, checkObjects, checkSnapshots}, checks) {
		answers, err := ask(ctx, tx, question)
		if err != nil {
			return s.explain("check", err)
		}
		for _, text := range answers {
			wrong = append(wrong, fmt.Errorf("check: %s", text))
		}
	}
	return errors.Join(wrong...)
}

// ask returns the texts that a question is answered with.
func ask(ctx context.Context, tx *sql.Tx, question string) (answers []string, err error) {
	found, err := tx.QueryContext(ctx, question)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var text string
		if err := found.Scan(&text); err != nil {
			return answers, err
		}
		answers = append(answers, text)
	}
	return answers, found.Err()
}
