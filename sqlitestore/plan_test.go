package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"kubarium/sqlitestore"
)

// Every statement that Kubarium runs for a request is planned, for its flow may show it.
func TestPlan_own(t *testing.T) {
	statements := ownStatements(t, ".", filepath.Join("..", "app"))
	if len(statements) < 30 {
		t.Fatalf("only %d statements were found: %q", len(statements), statements)
	}
	for _, s := range statements {
		if slices.ContainsFunc(sqlitestore.Unseen, func(unseen string) bool { return strings.Contains(unseen, s) }) {
			continue
		}
		steps, err := sqlitestore.Plan(t.Context(), s)
		if err != nil || len(steps) == 0 && !strings.HasPrefix(s, "INSERT") {
			t.Errorf("%s\n%v, %d steps", s, err, len(steps))
		}
	}
}

// ownStatements are the constants in the sources that read as SQL, each in its whole length.
func ownStatements(t *testing.T, folders ...string) (statements []string) {
	t.Helper()
	sql := regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s+[^/\s]`) // with a path behind it, it is a method of HTTP
	for _, folder := range folders {
		set := token.NewFileSet()
		pkgs, err := parser.ParseDir(set, folder, func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
		if err != nil {
			t.Fatal(err)
		}
		for name, pkg := range pkgs {
			var files []*ast.File
			for _, f := range pkg.Files {
				files = append(files, f)
			}
			info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
			config := types.Config{Error: func(error) {}} // imports are missing, which constants do not need
			_, _ = config.Check(name, set, files, &info)
			for _, f := range files {
				ast.Inspect(f, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					if !ok {
						return true
					}
					v := info.Types[e].Value
					if v == nil || v.Kind() != constant.String {
						return true
					}
					if s := constant.StringVal(v); sql.MatchString(s) {
						statements = append(statements, s)
					}
					return false
				})
			}
		}
	}
	return statements
}

// What acts, hides something or is more than one statement is refused, before SQLite sees it.
func TestPlan_refused(t *testing.T) {
	for _, s := range []string{
		"", " ", ";", "PRAGMA user_version = 7", "pragma hard_heap_limit = 1", "ATTACH 'x' AS y", "DETACH x", "VACUUM", "VACUUM INTO 'x'",
		"EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN SELECT 1", "QUERY PLAN SELECT 1", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT a", "ANALYZE", "REINDEX",
		"CREATE TABLE t (a)", "DROP TABLE objects", "ALTER TABLE objects RENAME TO o", "VALUES (1)", "REPLACE INTO store VALUES (1)",
		"WITH a AS (SELECT 1) SELECT * FROM a", "with a as (select 1) select 1", "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a)",
		"SELECT 1; SELECT 2", "SELECT 1;PRAGMA user_version", "SELECT 1 -- and", "SELECT /* a */ 1", "-- a\nSELECT 1", "/**/SELECT 1",
		"SELECT 1\x00; PRAGMA x", "SELECT $a('), (WITH a AS (SELECT 1) SELECT 1) --')", "SELECT :a", "SELECT @a", "SELECT #1",
		"SELECT 1 FROM objects NATURAL JOIN changes", "SELECT 1 FROM objects JOIN changes USING (key)", "(SELECT 1)", "\ufeffSELECT 1",
		"SELECT '" + strings.Repeat("a", 2000) + "'", "SELECT " + strings.Repeat("1,", 1000) + "1",
	} {
		if steps, err := sqlitestore.Plan(t.Context(), s); !errors.Is(err, sqlitestore.ErrNotPlanned) {
			t.Errorf("%q: %v %v", s, steps, err)
		}
	}
	for _, s := range []string{
		"SELECT", "SELECT 1 FROM none", "SELECT 'a", "SELECT [a", `SELECT "a`, "INSERT", "DELETE objects", "SELECT ?33", "SELECT 1 FROM objects UNION",
		"UPDATE objects SET none = 1", "SELECT max(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", "SELECT 1" + strings.Repeat("+1", 150),
	} {
		if steps, err := sqlitestore.Plan(t.Context(), s); err == nil {
			t.Errorf("%q: %v", s, steps)
		}
	}
	for _, s := range []string{
		"SELECT 1", "select ';' from objects where key = '--' and [value] = \"/*\"", "SELECT 'with' FROM objects WHERE name = 'it''s; WITH'",
		"DELETE FROM objects", "INSERT INTO objects (resource, key, value) VALUES ('a', 'b', '{}') RETURNING revision",
		"UPDATE objects SET value = json_set(value, '$.a', 1) WHERE name = ?1 AND namespace = ?2",
		"SELECT c.key, (SELECT count(*) FROM changes AS n WHERE n.key = c.key) FROM changes AS c WHERE c.resource IN (SELECT resource FROM objects WHERE name = 'a')",
		"SELECT * FROM objects AS o JOIN changes AS c ON c.resource = o.resource AND c.key = o.key ORDER BY c.revision DESC LIMIT 10",
	} {
		if _, err := sqlitestore.Plan(t.Context(), s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// bombs grow as fast as they can with n: what SQLite makes of them is a product, or doubles at each step.
var bombs = map[string]func(n int) string{
	"aliases": func(n int) string {
		return "SELECT revision" + repeat("+revision", n) + " AS a FROM objects WHERE a" + repeat("+a", n)
	},
	"wide aliases": func(n int) string {
		return "SELECT max(revision" + repeat(",revision", 15) + ")" + repeat("+max(revision"+repeat(",revision", 15)+")", n) +
			" AS a FROM changes WHERE max(a" + repeat(",a", 15) + ")" + repeat("+max(a"+repeat(",a", 15)+")", n*4)
	},
	"order by": func(n int) string {
		return "SELECT revision" + repeat("+revision", n) + " AS a FROM objects ORDER BY a" + repeat(",+a", n)
	},
	"flattened": func(n int) string {
		return nested(n, "SELECT a+a AS a FROM (%s)", "SELECT revision AS a FROM objects")
	},
	"two wide": func(n int) string {
		return "SELECT a" + repeat("+a", n) + " FROM (SELECT revision" + repeat("+revision", n) + " AS a FROM objects)"
	},
	"three wide": func(n int) string {
		return nested(2, "SELECT a"+repeat("+a", n)+" AS a FROM (%s)", "SELECT revision"+repeat("+revision", n)+" AS a FROM objects")
	},
	"functions": func(n int) string {
		return nested(n, "SELECT max(a,a,a,a) AS a FROM (%s)", "SELECT revision AS a FROM objects")
	},
	"both": func(n int) string {
		return nested(n, "SELECT a+a AS a FROM (%s) WHERE a+a ORDER BY a+a", "SELECT revision AS a FROM objects")
	},
	"stars": func(n int) string {
		return nested(n, "SELECT * FROM (%s), (SELECT 1)", "SELECT * FROM objects AS a, changes AS b")
	},
	"unions": func(n int) string {
		return "SELECT 1 FROM (SELECT 1)" + repeat(", (SELECT key FROM objects UNION ALL SELECT key FROM changes)", n)
	},
	"joins": func(n int) string {
		from, where := "SELECT 1 FROM store AS t", " WHERE 1"
		for i := range n {
			from += fmt.Sprintf(",objects t%d", i)
			where += fmt.Sprintf(" AND t%d.key=t%d.key", i, i/2)
		}
		return from + where
	},
	"cross": func(n int) string { return "SELECT 1 FROM store" + repeat(",objects", n) },
	"left":  func(n int) string { return "SELECT 1 FROM store AS t" + repeat(" LEFT JOIN objects ON 1", n) },
	"outer": func(n int) string { return "SELECT 1 FROM store AS t" + repeat(" FULL JOIN changes ON 1", n) },
	"ors": func(n int) string {
		return "SELECT 1 FROM objects a,changes b WHERE 0" + repeat(" OR a.key=b.key AND a.resource=b.resource", n)
	},
	"in":        func(n int) string { return "SELECT 1 FROM objects WHERE key IN (0" + repeat(",1", n) + ")" },
	"subselect": func(n int) string { return nested(n, "SELECT (%s) FROM objects", "SELECT 1") },
	"exists": func(n int) string {
		return nested(n, "SELECT 1 FROM objects WHERE EXISTS (%s)", "SELECT 1 FROM changes")
	},
	"windows": func(n int) string { return "SELECT 1" + repeat(",sum(1) OVER (ORDER BY key)", n) + " FROM objects" },
	"like":    func(n int) string { return "SELECT 1 FROM objects WHERE 1" + repeat(" AND key LIKE 'a%'", n) },
	"between": func(n int) string {
		return "SELECT key||key AS k FROM objects WHERE 1" + repeat(" AND k BETWEEN k AND k", n)
	},
	"values": func(n int) string {
		return "INSERT INTO objects (resource,key,value) VALUES (1,1,1)" + repeat(",(1,1,1)", n)
	},
	"virtual": func(n int) string {
		return "SELECT name" + repeat("+name", n) + " AS a FROM objects WHERE a" + repeat("+a", n)
	},
	"quoted": func(n int) string {
		return nested(n, `SELECT "a"+"a" AS "a" FROM (%s)`, "SELECT revision AS a FROM objects")
	},
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func nested(n int, outer, inner string) string {
	for range n {
		inner = strings.Replace(outer, "%s", inner, 1)
	}
	return inner
}

// Whatever is accepted is little work: the largest of each kind that is, and those of a third and two thirds of its size. Each took
// below 30 ms where this was written; the limit is for a busy machine.
func TestPlan_bounded(t *testing.T) {
	for name, bomb := range bombs {
		largest := 0
		for sqlitestore.CheckPlanned(bomb(largest+1)) == nil {
			largest++
		}
		for _, n := range []int{largest / 3, largest * 2 / 3, largest} {
			began := time.Now()
			_, err := sqlitestore.Plan(t.Context(), bomb(n))
			if took := time.Since(began); took > time.Second {
				t.Errorf("%s %d: %d bytes took %v: %v", name, n, len(bomb(n)), took, err)
			}
		}
		if _, err := sqlitestore.Plan(t.Context(), bomb(largest+1)); !errors.Is(err, sqlitestore.ErrNotPlanned) {
			t.Errorf("%s %d: %v", name, largest+1, err)
		}
	}
}

// Who has gone is not planned for.
func TestPlan_gone(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := sqlitestore.Plan(gone, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
