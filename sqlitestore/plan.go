package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A PlanStep is one line of a plan.
type PlanStep struct {
	ID     int64  `json:"id"`
	Parent int64  `json:"parent"` // the step that this one is below; 0 for none
	Detail string `json:"detail"` // in SQLite's words: "SEARCH objects USING PRIMARY KEY (resource=? AND key=?)"
}

// ErrNotPlanned says that a statement is not one that Plan takes.
var ErrNotPlanned = errors.New("not planned")

// maxPlanned bounds the statements that are planned, in bytes. The longest of Kubarium's own has about 700.
const maxPlanned = 2000

// maxCopies bounds how often SQLite may have to copy a word while it prepares a statement. A hundred thousand copies
// are about 10 MB and 30 ms.
const maxCopies = 500_000

// planLimits are SQLite's own, by their numbers (https://www.sqlite.org/c3ref/c_limit_attached.html).
var planLimits = map[int]int{
	sqlite3.SQLITE_LIMIT_LENGTH:          100_000,
	sqlite3.SQLITE_LIMIT_SQL_LENGTH:      maxPlanned + len(explainPlan),
	sqlite3.SQLITE_LIMIT_COLUMN:          32,
	sqlite3.SQLITE_LIMIT_EXPR_DEPTH:      100,
	sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 8,
	sqlite3.SQLITE_LIMIT_VDBE_OP:         25_000,
	sqlite3.SQLITE_LIMIT_FUNCTION_ARG:    16,
	sqlite3.SQLITE_LIMIT_ATTACHED:        0,
	sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: planVariables,
}

const (
	explainPlan   = "EXPLAIN QUERY PLAN "
	planVariables = 32
)

// planning is held by the one statement that is being prepared: prepare cannot be interrupted, so it must not add up.
var planning = make(chan struct{}, 1)

// Plan returns how SQLite would run a statement, without running it: one SELECT, INSERT, UPDATE or DELETE, in the
// schema as Kubarium makes it, which has no rows, so that neither the stored rows nor additions to the file's schema
// count. The error wraps ErrNotPlanned for a statement of another kind, or one that would cost more than some 50 ms
// and 10 MB; it is SQLite's own for one that SQLite refuses. Bound values make no difference to a plan, since nothing
// was analyzed.
func Plan(ctx context.Context, statement string) (steps []PlanStep, err error) {
	if err := checkPlanned(statement); err != nil {
		return nil, err
	}
	select {
	case planning <- struct{}{}:
		defer func() { <-planning }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := preparePlans(ctx, c); err != nil {
		return nil, err
	}
	rows, err := c.QueryContext(ctx, explainPlan+statement, make([]any, planVariables)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	steps = []PlanStep{}
	for rows.Next() {
		var s PlanStep
		var unused int64
		if err := rows.Scan(&s.ID, &s.Parent, &unused, &s.Detail); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, rows.Err()
}

// preparePlans makes the schema in an empty database, and then bounds what can be asked of it.
func preparePlans(ctx context.Context, c *sql.Conn) error {
	names, err := fs.Glob(schemaFiles, "schema/*.sql")
	if err != nil {
		return err
	}
	for _, name := range names {
		step, err := fs.ReadFile(schemaFiles, name)
		if err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, string(step)); err != nil {
			return fmt.Errorf("make the schema: %w", err)
		}
	}
	for id, most := range planLimits {
		if _, err := sqlite.Limit(c, id, most); err != nil {
			return err
		}
	}
	return nil
}

// checkPlanned refuses what is not one SELECT, INSERT, UPDATE or DELETE, and what SQLite may blow up while it
// prepares it: none of its limits bounds that, and it looks at an interruption only here and there.
func checkPlanned(statement string) error {
	if len(statement) > maxPlanned {
		return fmt.Errorf("%w: a statement of %d bytes; at most %d are", ErrNotPlanned, len(statement), maxPlanned)
	}
	words, err := sqlWords(statement)
	if err != nil {
		return err
	}
	if len(words) == 0 || !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE"}, words[0]) {
		return fmt.Errorf("%w: only one SELECT, INSERT, UPDATE or DELETE is", ErrNotPlanned)
	}
	count, selects := 0, 0
	for _, w := range words {
		count++
		switch w {
		case "SELECT", "VALUES":
			selects++
		case "*":
			count += planLimits[sqlite3.SQLITE_LIMIT_COLUMN] // all columns
		case "WITH", "NATURAL", "USING":
			return fmt.Errorf("%w: a statement with %s, which can be much more work than it looks", ErrNotPlanned, w)
		case ";":
			return fmt.Errorf("%w: more than one statement, or a semicolon", ErrNotPlanned)
		}
	}
	if selects > 0 && copies(count, selects) > maxCopies {
		return fmt.Errorf("%w: %d words in %d SELECTs, which can be much more work than they look", ErrNotPlanned, count, selects)
	}
	return nil
}

// copies is how many copies of a word SQLite makes at most of so many words in so many SELECTs. A name in one can
// stand for an expression of the same one (an alias) and of each one below it (which is flattened into it): each name
// is replaced by a copy, so that the lengths of the parts multiply. Each part is a quarter of the words of its
// SELECT: there are two, and each name needs a comma or an operator next to it. The product is largest where all
// parts have the same length.
func copies(words, selects int) float64 {
	return math.Pow(math.Max(float64(words)/float64(4*selects), 1), float64(2*selects))
}

// sqlWords splits a statement as SQLite does (https://www.sqlite.org/lang_keywords.html), with words in upper case
// and what is quoted as a quote. It refuses what Kubarium's own statements do not have and what hides words from a
// reader: comments, zero bytes, and variables with a name, which may have quotes in them.
func sqlWords(statement string) (words []string, err error) {
	for s := statement; s != ""; {
		n := 1
		switch c := s[0]; {
		case strings.IndexByte(" \t\n\f\r", c) >= 0:
			s = s[1:]
			continue
		case c == '\'' || c == '"' || c == '`' || c == '[':
			n = quoted(s)
			words = append(words, string(c))
		case isWordByte(c):
			for n < len(s) && isWordByte(s[n]) {
				n++
			}
			words = append(words, strings.ToUpper(s[:n]))
		case strings.HasPrefix(s, "--") || strings.HasPrefix(s, "/*") || strings.IndexByte("\x00$@#:\\", c) >= 0:
			return nil, fmt.Errorf("%w: a statement with comments, named variables or %q", ErrNotPlanned, s[:1])
		default:
			words = append(words, s[:1])
		}
		s = s[n:]
	}
	return words, nil
}

// quoted is the length of what is quoted at the beginning of s; all of it where the end is missing, which SQLite
// refuses.
func quoted(s string) int {
	if s[0] == '[' {
		if end := strings.IndexByte(s, ']'); end >= 0 {
			return end + 1
		}
		return len(s)
	}
	end := strings.IndexByte(s[1:], s[0])
	if end < 0 {
		return len(s)
	}
	return end + 2 // a doubled quote begins another one, which is read the same
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
