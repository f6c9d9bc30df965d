// iceberg-go with credentials: a session that outlives its token, static tokens, wrong ones.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	_ "github.com/apache/iceberg-go/io/gocloud"
	"github.com/apache/iceberg-go/table"
)

var (
	ctx  = context.Background()
	uri  = os.Getenv("FIRN_TEST_URL")
	key  = os.Getenv("FIRN_TEST_KEY")
	name = table.Identifier{"go", "t"}
)

func main() {
	session := connect(rest.WithCredential("admin:" + key))
	static := connect(rest.WithOAuthToken(key))
	short := connect(rest.WithOAuthToken(token()))
	check("a credential makes a token, and a table with rows", func() { begin(session) })
	check("a key is a token that does not end", func() { want(rows(load(static)), 1) })
	check("a token signs in", func() { want(rows(load(short)), 1) })
	check("a wrong credential is refused", refused)
	check("what ends, ends", func() { outlive(short) })
	check("a session renews its token by itself", func() {
		appended(load(session), 2)
		want(rows(load(session)), 2)
	})
	check("a key goes on", func() { must(load(static).NewTransaction().SetProperties(iceberg.Properties{"a": "b"})) })
	check("a table is dropped", func() {
		must(session.DropTable(ctx, name))
		must(session.DropNamespace(ctx, name[:1]))
	})
}

func connect(option rest.Option) *rest.Catalog {
	made, err := rest.NewCatalog(ctx, "firn", uri, option)
	must(err)
	return made
}

func begin(session *rest.Catalog) {
	must(session.CreateNamespace(ctx, name[:1], nil))
	field := iceberg.NestedField{ID: 1, Name: "depth", Type: iceberg.PrimitiveTypes.Int64}
	_, err := session.CreateTable(ctx, name, iceberg.NewSchema(0, field),
		catalog.WithProperties(iceberg.Properties{"format-version": "2"}))
	must(err)
	appended(load(session), 1)
}

func load(from *rest.Catalog) *table.Table {
	loaded, err := from.LoadTable(ctx, name)
	must(err)
	return loaded
}

func appended(to *table.Table, value int64) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "depth", Type: arrow.PrimitiveTypes.Int64, Nullable: true}}, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	builder.Field(0).(*array.Int64Builder).Append(value)
	rows := array.NewTableFromRecords(schema, []arrow.RecordBatch{builder.NewRecordBatch()})
	_, err := to.AppendTable(ctx, rows, 1, nil)
	must(err)
}

func rows(of *table.Table) int64 {
	read, err := of.Scan().ToArrowTable(ctx)
	must(err)
	return read.NumRows()
}

func refused() {
	for _, option := range []rest.Option{
		rest.WithCredential("admin:" + key + "x"),
		rest.WithOAuthToken(key + "x"),
	} {
		if _, err := rest.NewCatalog(ctx, "stranger", uri, option); err == nil {
			panic("it is let in")
		}
	}
}

// Waits until its token and all older ones have ended.
func outlive(short *rest.Catalog) {
	life, err := strconv.Atoi(os.Getenv("FIRN_TEST_TOKEN_MS"))
	must(err)
	time.Sleep(time.Duration(life+1_000) * time.Millisecond)
	if _, err := short.LoadTable(ctx, name); !errors.Is(err, rest.ErrUnauthorized) {
		panic(fmt.Sprint("not unauthorized: ", err))
	}
}

func token() string {
	form := url.Values{"grant_type": {"client_credentials"}, "client_secret": {key}}
	answer, err := http.PostForm(uri+"/v1/oauth/tokens", form)
	must(err)
	defer answer.Body.Close()
	var told struct {
		Token string `json:"access_token"`
	}
	must(json.NewDecoder(answer.Body).Decode(&told))
	return told.Token
}

func want(got, expected int64) {
	if got != expected {
		panic(fmt.Sprintf("%d rows, expected %d", got, expected))
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(what string, work func()) {
	defer func() {
		if why := recover(); why != nil {
			fmt.Printf("not ok %s: %s\n", what, strings.ReplaceAll(fmt.Sprint(why), "\n", " | "))
			return
		}
		fmt.Println("ok", what)
	}()
	work()
}
