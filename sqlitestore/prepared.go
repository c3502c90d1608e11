package sqlitestore

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// A prepared statement that changes rows, run by the driver itself. database/sql would look for its connection,
// convert and copy its arguments each time, some ten allocations for each statement (BenchmarkWrite). It is for the
// few statements of which each write or each batch has one, and for the writer's goroutine alone.
type prepared struct {
	conn *sql.Conn
	stmt driver.Stmt
	args []driver.NamedValue // of the run under way
	rows int64               // that the last run has changed
	run  func(any) error     // p.step, made once
}

func prepare(c *sql.Conn, text string) (*prepared, error) {
	p := &prepared{conn: c}
	p.run = p.step
	return p, c.Raw(func(dc any) (err error) {
		p.stmt, err = dc.(driver.Conn).Prepare(text)
		return err
	})
}

// exec runs the statement and returns how many rows it has changed. Arguments are of the driver's types.
func (p *prepared) exec(args ...driver.Value) (rows int, err error) {
	p.args = p.args[:0]
	for i, a := range args {
		p.args = append(p.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	err = p.conn.Raw(p.run)
	clear(p.args) // values may be large
	return int(p.rows), err
}

// step is what exec does with the connection.
func (p *prepared) step(any) error {
	result, err := p.stmt.(driver.StmtExecContext).ExecContext(context.Background(), p.args)
	if err != nil {
		return err
	}
	p.rows, err = result.RowsAffected()
	return err
}

func (p *prepared) close() error {
	return p.conn.Raw(func(any) error { return p.stmt.Close() })
}
