// pgx v5: a session of an application. Values go as binary; statements are prepared and kept.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

const kinds = `CREATE TABLE go_kinds (
  id int8 PRIMARY KEY, small int2, flag bool, ratio float8, price numeric(30, 10), word text,
  code varchar(8), raw bytea, day date, at timestamptz, plain timestamp, span interval, doc jsonb,
  key uuid, ints int8[], words text[])`

const orders = `CREATE TABLE go_orders (id int PRIMARY KEY,
  email text NOT NULL CONSTRAINT go_orders_email_key UNIQUE,
  qty int CONSTRAINT go_orders_qty CHECK (qty > 0))`

const endless = "SELECT count(*) FROM generate_series(1, 10000000000::int8)"

var background = context.Background()

func main() {
	// The address comes from the environment, as libpq reads it.
	conn, err := pgx.Connect(background, "")
	if err != nil {
		fmt.Println("not ok connects:", err)
		os.Exit(1)
	}
	check("creates tables", func() { tables(conn) })
	check("writes and reads values of all types as binary", func() { types(conn, pgx.QueryExecModeCacheStatement) })
	for name, mode := range map[string]pgx.QueryExecMode{
		"exec mode":           pgx.QueryExecModeExec,
		"simple protocol":     pgx.QueryExecModeSimpleProtocol,
		"describe, then exec": pgx.QueryExecModeDescribeExec,
		"cached descriptions": pgx.QueryExecModeCacheDescribe,
	} {
		check("writes and reads values of all types: "+name, func() { types(conn, mode) })
	}
	check("NULL", func() { nulls(conn) })
	check("a prepared statement and its types", func() { prepared(conn) })
	check("a batch is one pipeline", func() { batch(conn) })
	check("a pipeline of the protocol, with an error in it", func() { pipeline(conn) })
	check("savepoint, rollback, commit", func() { transaction(conn) })
	check("fields of errors", func() { fields(conn) })
	check("COPY in and out", func() { copying(conn) })
	check("rows one by one, and an early end", func() { rows(conn) })
	check("cancels a statement", cancel)
	check("notices, settings and the end of a connection", session)
	conn.Close(background)
}

func check(name string, work func()) {
	defer func() {
		if why := recover(); why != nil {
			fmt.Printf("not ok %s: %s\n", name, strings.ReplaceAll(fmt.Sprint(why), "\n", " | "))
		}
	}()
	work()
	fmt.Println("ok", name)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func equal(actual, expected any) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Sprintf("got %v, expected %v", actual, expected))
	}
}

func refused(err error) *pgconn.PgError {
	var told *pgconn.PgError
	if !errors.As(err, &told) {
		panic(fmt.Sprintf("not the server's error: %v", err))
	}
	return told
}

func tables(conn *pgx.Conn) {
	equal(must(conn.Exec(background, kinds)).String(), "CREATE TABLE")
	equal(must(conn.Exec(background, orders)).String(), "CREATE TABLE")
}

func types(conn *pgx.Conn, mode pgx.QueryExecMode) {
	id := int64(9007199254740993) + int64(mode)
	at := time.Date(2026, 2, 3, 4, 5, 6, 789012000, time.FixedZone("", 7200))
	day := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	plain := time.Date(2026, 2, 3, 4, 5, 6, 789012000, time.UTC)
	price := pgtype.Numeric{}
	must(0, price.Scan("12345678901234567890.0123456789"))
	// Without a statement's description pgx knows of JSON as text alone.
	doc := `{"a": [1, null, "x"]}`
	largest, least := int64(9223372036854775807), int64(-1)
	ints := []*int64{&largest, nil, &least}
	words := []string{"plain", `with "quotes", commas`, ""}
	key := [16]byte{0x6f, 0x96, 0x19, 0xff, 0x8b, 0x86, 0xd0, 0x11, 0xb4, 0x2d, 0, 0xc0, 0x4f, 0xc9, 0x64, 0xff}
	span := pgtype.Interval{Days: 3, Microseconds: 4_000_005, Valid: true}
	arguments := []any{mode, id, int16(-32768), true, 0.1, price, "größer 🦀", "code",
		[]byte{0, 1, 254, 255}, day, at, plain, span, doc, pgtype.UUID{Bytes: key, Valid: true}, ints, words}
	row := conn.QueryRow(background, `INSERT INTO go_kinds VALUES
    ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING *`, arguments...)
	var gotId int64
	var small int16
	var flag bool
	var ratio float64
	var gotPrice pgtype.Numeric
	var word, code string
	var raw []byte
	var gotDay, gotAt, gotPlain time.Time
	var gotSpan pgtype.Interval
	var gotDoc string
	var gotKey pgtype.UUID
	var gotInts []*int64
	var gotWords []string
	must(0, row.Scan(&gotId, &small, &flag, &ratio, &gotPrice, &word, &code, &raw, &gotDay, &gotAt,
		&gotPlain, &gotSpan, &gotDoc, &gotKey, &gotInts, &gotWords))
	equal([]any{gotId, small, flag, ratio, word, code}, []any{id, int16(-32768), true, 0.1, "größer 🦀", "code"})
	equal(must(gotPrice.Value()), "12345678901234567890.0123456789")
	equal(raw, []byte{0, 1, 254, 255})
	equal([]bool{gotDay.Equal(day), gotAt.Equal(at), gotPlain.Equal(plain)}, []bool{true, true, true})
	equal(gotSpan, span)
	equal(gotDoc, doc)
	equal(gotKey.Bytes, key)
	equal(gotInts, ints)
	equal(gotWords, words)
}

func nulls(conn *pgx.Conn) {
	var word *string
	var price pgtype.Numeric
	var ints []int64
	row := conn.QueryRow(background,
		"INSERT INTO go_kinds (id, word, price, ints) VALUES (1, $1, $2, $3) RETURNING word, price, ints",
		nil, nil, nil)
	must(0, row.Scan(&word, &price, &ints))
	equal([]bool{word == nil, price.Valid, ints == nil}, []bool{true, false, true})
}

func prepared(conn *pgx.Conn) {
	statement := must(conn.Prepare(background, "adds", "SELECT $1::int4 + 1 AS n, $2::text AS t"))
	equal(statement.ParamOIDs, []uint32{23, 25})
	for i := range 10 {
		var n int32
		var t string
		must(0, conn.QueryRow(background, "adds", i, "x").Scan(&n, &t))
		equal([]any{n, t}, []any{int32(i + 1), "x"})
	}
	must(0, conn.Deallocate(background, "adds"))
}

func batch(conn *pgx.Conn) {
	must(conn.Exec(background, "CREATE TABLE go_many (id int PRIMARY KEY, word text)"))
	several := &pgx.Batch{}
	for i := range 1000 {
		several.Queue("INSERT INTO go_many VALUES ($1, $2)", i, fmt.Sprint("w", i))
	}
	var count int64
	several.Queue("SELECT count(*) FROM go_many").QueryRow(func(row pgx.Row) error { return row.Scan(&count) })
	must(0, conn.SendBatch(background, several).Close())
	equal(count, int64(1000))
	failing := &pgx.Batch{}
	failing.Queue("INSERT INTO go_many VALUES (5000, 'x')")
	failing.Queue("INSERT INTO go_many VALUES (1, 'x')")
	failing.Queue("INSERT INTO go_many VALUES (5001, 'x')")
	equal(refused(conn.SendBatch(background, failing).Close()).Code, "23505")
	must(0, conn.QueryRow(background, "SELECT count(*) FROM go_many").Scan(&count))
	// A batch is one transaction.
	equal(count, int64(1000))
}

func pipeline(conn *pgx.Conn) {
	line := conn.PgConn().StartPipeline(background)
	line.SendQueryParams("SELECT 1", nil, nil, nil, nil)
	must(0, line.Sync())
	line.SendQueryParams("SELECT 1 / 0", nil, nil, nil, nil)
	line.SendQueryParams("SELECT 2", nil, nil, nil, nil)
	must(0, line.Sync())
	line.SendQueryParams("SELECT 3", nil, nil, nil, nil)
	must(0, line.Sync())
	var seen []string
	for {
		results, err := line.GetResults()
		if err != nil {
			seen = append(seen, refused(err).Code)
			continue
		}
		if results == nil {
			break
		}
		switch each := results.(type) {
		case *pgconn.PipelineSync:
			seen = append(seen, "sync")
		case *pgconn.ResultReader:
			read := each.Read()
			if read.Err != nil {
				seen = append(seen, refused(read.Err).Code)
				continue
			}
			seen = append(seen, string(read.Rows[0][0]))
		}
	}
	must(0, line.Close())
	equal(seen, []string{"1", "sync", "22012", "sync", "3", "sync"})
}

func transaction(conn *pgx.Conn) {
	tx := must(conn.BeginTx(background, pgx.TxOptions{IsoLevel: pgx.Serializable}))
	must(tx.Exec(background, "INSERT INTO go_orders VALUES (1, 'a@x', 1)"))
	inner := must(tx.Begin(background))
	_, err := inner.Exec(background, "INSERT INTO go_orders VALUES (1, 'b@x', 1)")
	equal(refused(err).Code, "23505")
	_, err = inner.Exec(background, "SELECT 1")
	equal(refused(err).Code, "25P02")
	must(0, inner.Rollback(background))
	must(tx.Exec(background, "INSERT INTO go_orders VALUES (2, 'b@x', 2)"))
	must(0, tx.Commit(background))
	tx = must(conn.Begin(background))
	equal(must(tx.Exec(background, "DELETE FROM go_orders")).RowsAffected(), int64(2))
	must(0, tx.Rollback(background))
	var count int
	must(0, conn.QueryRow(background, "SELECT count(*) FROM go_orders").Scan(&count))
	equal(count, 2)
}

func fields(conn *pgx.Conn) {
	_, err := conn.Exec(background, "INSERT INTO go_orders VALUES (3, 'a@x', 1)")
	told := refused(err)
	equal([]string{told.Code, told.SchemaName, told.TableName, told.ConstraintName},
		[]string{"23505", "public", "go_orders", "go_orders_email_key"})
	equal(told.Detail, "Key (email)=(a@x) already exists.")
	_, err = conn.Exec(background, "INSERT INTO go_orders (id) VALUES (3)")
	equal(refused(err).ColumnName, "email")
	_, err = conn.Exec(background, "INSERT INTO go_orders VALUES (3, 'c@x', 0)")
	equal(refused(err).ConstraintName, "go_orders_qty")
	_, err = conn.Exec(background, "SELECT * FROM go_nothing")
	equal([]any{refused(err).Code, refused(err).Position}, []any{"42P01", int32(15)})
}

func copying(conn *pgx.Conn) {
	must(conn.Exec(background, "CREATE TABLE go_copy (id int PRIMARY KEY, word text, at timestamptz)"))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	// Rows go as binary.
	source := pgx.CopyFromSlice(3000, func(i int) ([]any, error) {
		if i%7 == 0 {
			return []any{i, nil, at}, nil
		}
		return []any{i, fmt.Sprint("w", i), at}, nil
	})
	columns := []string{"id", "word", "at"}
	equal(must(conn.CopyFrom(background, pgx.Identifier{"go_copy"}, columns, source)), int64(3000))
	var out bytes.Buffer
	must(conn.PgConn().CopyTo(background, &out, "COPY (SELECT id, word FROM go_copy WHERE id < 2 ORDER BY id) TO STDOUT"))
	equal(out.String(), "0\t\\N\n1\tw1\n")
	_, err := conn.PgConn().CopyFrom(background, strings.NewReader("9000,x\nno number,y\n"),
		"COPY go_copy (id, word) FROM STDIN (FORMAT CSV)")
	equal(refused(err).Code, "22P02")
	failing := pgx.CopyFromSlice(5000, func(i int) ([]any, error) {
		if i == 4000 {
			return nil, errors.New("the program changed its mind")
		}
		return []any{10_000 + i, nil, nil}, nil
	})
	_, err = conn.CopyFrom(background, pgx.Identifier{"go_copy"}, columns, failing)
	if err == nil {
		panic("nothing was refused")
	}
	var count int
	must(0, conn.QueryRow(background, "SELECT count(*) FROM go_copy").Scan(&count))
	equal(count, 3000)
}

func rows(conn *pgx.Conn) {
	found := must(conn.Query(background, "SELECT g, 'x' || g FROM generate_series(1, $1::int) AS g", 20_000))
	equal([]any{found.FieldDescriptions()[0].DataTypeOID, found.FieldDescriptions()[1].DataTypeOID},
		[]any{uint32(23), uint32(25)})
	sum := 0
	var n int
	var t string
	must(pgx.ForEachRow(found, []any{&n, &t}, func() error { sum += n; return nil }))
	equal(sum, 200_010_000)
	found = must(conn.Query(background, "SELECT g FROM generate_series(1, 100000) AS g"))
	found.Next()
	found.Close()
	must(0, found.Err())
	type pair struct {
		N int32
		T string
	}
	pairs := must(pgx.CollectRows(must(conn.Query(background, "SELECT 1 AS n, 'a' AS t")), pgx.RowToStructByName[pair]))
	equal(pairs, []pair{{1, "a"}})
}

func cancel() {
	conn := must(pgx.Connect(background, ""))
	defer conn.Close(background)
	answer := make(chan error)
	go func() {
		_, err := conn.Exec(background, endless)
		answer <- err
	}()
	for {
		select {
		case err := <-answer:
			equal(refused(err).Code, "57014")
			var one int
			must(0, conn.QueryRow(background, "SELECT 1").Scan(&one))
			return
		case <-time.After(300 * time.Millisecond):
			// A cancel that comes before the statement ends nothing.
			must(0, conn.PgConn().CancelRequest(background))
		}
	}
}

func session() {
	config := must(pgx.ParseConfig("application_name=go statement_cache_capacity=0"))
	var notices []string
	config.OnNotice = func(_ *pgconn.PgConn, notice *pgconn.Notice) { notices = append(notices, notice.Code) }
	conn := must(pgx.ConnectConfig(background, config))
	must(conn.Exec(background, "DROP TABLE IF EXISTS go_nothing"))
	equal(notices, []string{"00000"})
	equal(conn.PgConn().ParameterStatus("application_name"), "go")
	must(conn.Exec(background, "SET application_name = 'other'"))
	equal(conn.PgConn().ParameterStatus("application_name"), "other")
	equal(conn.PgConn().TxStatus(), byte('I'))
	must(0, conn.Ping(background))
	must(0, conn.Close(background))
}
