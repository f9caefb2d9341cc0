package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Version is the version of the file's tables. A program reads its own and
// refuses others.
const Version = 2

// application marks our files among SQLite's: "PRLY".
const application = 0x50524c59

// tables: prompts, with what models answered, come last in a trial, so that
// reading its events skips them.
const tables = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cells (cell INTEGER PRIMARY KEY, labels TEXT NOT NULL, plan BLOB NOT NULL, spec BLOB NOT NULL);
CREATE TABLE links (
  cell INTEGER NOT NULL, row INTEGER NOT NULL, repeat INTEGER NOT NULL, arm TEXT NOT NULL,
  case_key TEXT NOT NULL, trial TEXT NOT NULL,
  PRIMARY KEY (cell, row, repeat, arm)
) WITHOUT ROWID;
CREATE TABLE trials (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, arm TEXT NOT NULL, repeat INTEGER NOT NULL,
  outcome TEXT NOT NULL, ended_by TEXT NOT NULL, calls INTEGER NOT NULL, shared INTEGER NOT NULL,
  input INTEGER NOT NULL, output INTEGER NOT NULL, simulated INTEGER NOT NULL, events BLOB NOT NULL, prompts BLOB NOT NULL
);
CREATE INDEX errored ON trials (key) WHERE outcome = 'error';
CREATE TABLE calls (
  unit TEXT NOT NULL, key TEXT NOT NULL, trial TEXT NOT NULL, position TEXT NOT NULL, response BLOB NOT NULL,
  PRIMARY KEY (unit, key)
) WITHOUT ROWID;
CREATE TABLE attempts (
  id INTEGER PRIMARY KEY, at TEXT NOT NULL, trial TEXT NOT NULL, call TEXT NOT NULL, position TEXT NOT NULL,
  attempt INTEGER NOT NULL, status INTEGER NOT NULL, wait_ms INTEGER NOT NULL, error TEXT NOT NULL
);
CREATE TABLE spend (
  model TEXT NOT NULL, role TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
  estimated INTEGER NOT NULL, PRIMARY KEY (model, role)
) WITHOUT ROWID;
`

// layOut makes the tables of a new file, all or nothing.
func layOut(c *sql.Conn, r *Run) error {
	ctx := context.Background()
	marks := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", application, Version)
	if _, err := c.ExecContext(ctx, "BEGIN IMMEDIATE;"+marks+tables+bodyTable+verdictTable); err != nil {
		return err
	}
	for name, v := range map[string]any{"run": r.meta, "state": r.state, "schema": r.codec.Schema()} {
		if err := putMeta(c, name, v); err != nil {
			return err
		}
	}
	_, err := c.ExecContext(ctx, "COMMIT")
	return err
}

// checkVersion tells a run from other files, by the marks in its header.
func checkVersion(db *sql.DB, path string) error {
	var app, version int
	if err := db.QueryRow("PRAGMA application_id").Scan(&app); err != nil {
		return explain("read", path, err)
	}
	if app != application {
		return fmt.Errorf("%s: %w", path, ErrForeign)
	}
	if err := db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return explain("read", path, err)
	}
	if version > Version {
		return fmt.Errorf("%s: %w (its format is %d, this program reads %d)", path, ErrNewer, version, Version)
	}
	if version < Version {
		return fmt.Errorf("%s: %w (its format is %d, this program reads %d)", path, ErrOlder, version, Version)
	}
	return nil
}

func putMeta(c *sql.Conn, name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write the run's %s: %w", name, err)
	}
	_, err = c.ExecContext(context.Background(), "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", name, string(b))
	return err
}

func getMeta(db *sql.DB, name string, into any) error {
	var s string
	if err := db.QueryRow("SELECT value FROM meta WHERE name = ?", name).Scan(&s); err != nil {
		return err
	}
	return json.Unmarshal([]byte(s), into)
}

// connect opens the file with SQLite; mode is its mode parameter.
func connect(path, mode string, params ...string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, explain("open", path, err)
	}
	p := filepath.ToSlash(abs)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	u := url.URL{Scheme: "file", Path: p}
	query := append([]string{"mode=" + mode, "_pragma=busy_timeout(10000)"}, params...)
	db, err := sql.Open("sqlite", u.String()+"?"+strings.Join(query, "&"))
	if err != nil {
		return nil, explain("open", path, err)
	}
	if err := db.Ping(); err != nil {
		_ = db.Close()
		return nil, explain("open", path, err)
	}
	return db, nil
}

// connectReadOnly opens a file that may lie where nothing can be written: then
// SQLite cannot keep its index of the log, and needs none if there is no log.
func connectReadOnly(path string) (*sql.DB, error) {
	db, err := connect(path, "ro")
	if errors.Is(err, ErrReadOnly) {
		// A process was killed while it changed the file's header: SQLite undoes
		// that at once, where it may write.
		return connect(path, "rw", "_pragma=query_only(1)")
	}
	if err != nil {
		return nil, err
	}
	var n int
	first := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&n)
	if first == nil {
		return db, nil
	}
	_ = db.Close()
	if _, err := os.Stat(path + "-wal"); err == nil || code(first) != codeCannotOpen {
		return nil, explain("open", path, first)
	}
	return connect(path, "ro", "immutable=1")
}
