//! tokio-postgres: a session of an application. Everything goes as binary, and statements of one
//! connection are pipelined when they are awaited together.

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use futures_util::{future, pin_mut, SinkExt, StreamExt, TryStreamExt};
use rust_decimal::Decimal;
use serde_json::{json, Value};
use tokio_postgres::binary_copy::{BinaryCopyInWriter, BinaryCopyOutStream};
use tokio_postgres::error::{DbError, ErrorPosition, SqlState};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, Error, IsolationLevel, NoTls, SimpleQueryMessage};
use uuid::Uuid;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const KINDS: &str = "CREATE TABLE rust_kinds (
  id int8 PRIMARY KEY, small int2, flag bool, ratio float8, price numeric(28, 10), word text,
  code varchar(8), raw bytea, day date, at timestamptz, plain timestamp, doc jsonb, key uuid,
  ints int8[], words text[])";
const ORDERS: &str = "CREATE TABLE rust_orders (
  id int PRIMARY KEY, email text NOT NULL CONSTRAINT rust_orders_email_key UNIQUE,
  qty int CONSTRAINT rust_orders_qty CHECK (qty > 0))";
const ENDLESS: &str = "SELECT count(*) FROM generate_series(1, 10000000000::int8)";

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut client = connect().await.expect("connects");
    check("creates tables", tables(&client)).await;
    check(
        "writes and reads values of all types, and NULL",
        types(&client),
    )
    .await;
    check("a prepared statement and its types", prepared(&client)).await;
    check(
        "statements that are awaited together are pipelined",
        pipelined(&client),
    )
    .await;
    check("savepoint, rollback, commit", transaction(&mut client)).await;
    check("portals: rows in parts", portals(&mut client)).await;
    check("fields of errors", errors(&client)).await;
    check("COPY in and out, as text and as binary", copy(&client)).await;
    check("rows as a stream, and the simple protocol", rows(&client)).await;
    check("cancels a statement", cancel(&client)).await;
}

async fn check(name: &str, work: impl Future<Output = Outcome>) {
    match work.await {
        Ok(()) => println!("ok {name}"),
        Err(why) => println!("not ok {name}: {}", format!("{why:?}").replace('\n', " | ")),
    }
}

fn equal<T: PartialEq + Debug>(actual: T, expected: T) -> Outcome {
    if actual == expected {
        return Ok(());
    }
    Err(format!("got {actual:?}, expected {expected:?}").into())
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

async fn connect() -> Result<Client, Error> {
    let (client, connection) = Config::new()
        .host("127.0.0.1")
        .port(variable("PGPORT").parse().expect("a port"))
        .user(variable("PGUSER"))
        .dbname(variable("PGDATABASE"))
        .application_name("rust")
        .connect(NoTls)
        .await?;
    tokio::spawn(connection);
    Ok(client)
}

fn refused<T>(outcome: Result<T, Error>) -> Result<DbError, String> {
    match outcome {
        Ok(_) => Err("nothing was refused".into()),
        Err(error) => match error.as_db_error() {
            Some(told) => Ok(told.clone()),
            None => Err(format!("not the server's error: {error:?}")),
        },
    }
}

async fn tables(client: &Client) -> Outcome {
    client.batch_execute(KINDS).await?;
    client.batch_execute(ORDERS).await?;
    Ok(())
}

async fn types(client: &Client) -> Outcome {
    let price: Decimal = "123456789012345678.0123456789".parse()?;
    let day = NaiveDate::from_ymd_opt(2026, 2, 3).ok_or("a day")?;
    let plain: NaiveDateTime = day.and_hms_micro_opt(4, 5, 6, 789_012).ok_or("a time")?;
    let at: DateTime<Utc> = plain.and_utc();
    let doc = json!({"a": [1, null, "x"], "n": 9_007_199_254_740_993_i64});
    let key = Uuid::parse_str("6f9619ff-8b86-d011-b42d-00c04fc964ff")?;
    let ints = vec![Some(i64::MAX), None, Some(-1)];
    let words = vec![
        Some("plain"),
        Some("with \"quotes\", commas"),
        None,
        Some(""),
    ];
    let raw: &[u8] = &[0, 1, 254, 255];
    let id = 9_007_199_254_740_993_i64;
    let insert = "INSERT INTO rust_kinds VALUES
        ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING *";
    let values: [&(dyn ToSql + Sync); 15] = [
        &id,
        &-32768_i16,
        &true,
        &0.1_f64,
        &price,
        &"größer 🦀",
        &"code",
        &raw,
        &day,
        &at,
        &plain,
        &doc,
        &key,
        &ints,
        &words,
    ];
    let row = client.query_one(insert, &values).await?;
    equal(row.get::<_, i64>(0), id)?;
    equal(
        (row.get::<_, i16>(1), row.get::<_, bool>(2)),
        (-32768, true),
    )?;
    equal(row.get::<_, f64>(3), 0.1)?;
    equal(row.get::<_, Decimal>(4), price)?;
    equal(
        (row.get::<_, &str>(5), row.get::<_, &str>(6)),
        ("größer 🦀", "code"),
    )?;
    equal(row.get::<_, &[u8]>(7), raw)?;
    equal(row.get::<_, NaiveDate>(8), day)?;
    equal(row.get::<_, DateTime<Utc>>(9), at)?;
    equal(row.get::<_, NaiveDateTime>(10), plain)?;
    equal(row.get::<_, Value>(11), doc)?;
    equal(row.get::<_, Uuid>(12), key)?;
    equal(row.get::<_, Vec<Option<i64>>>(13), ints)?;
    equal(row.get::<_, Vec<Option<&str>>>(14), words)?;
    let nulls = "INSERT INTO rust_kinds (id, price, doc, ints) VALUES (1, $1, $2, $3) RETURNING *";
    let none: [&(dyn ToSql + Sync); 3] = [&None::<Decimal>, &None::<Value>, &None::<Vec<i64>>];
    let row = client.query_one(nulls, &none).await?;
    equal(row.get::<_, Option<Decimal>>(4), None)?;
    equal(row.get::<_, Option<Value>>(11), None)?;
    equal(row.get::<_, Option<Vec<i64>>>(13), None)?;
    Ok(())
}

async fn prepared(client: &Client) -> Outcome {
    let statement = client
        .prepare("SELECT $1::int4 + 1 AS n, $2::text AS t")
        .await?;
    equal(statement.params(), &[Type::INT4, Type::TEXT])?;
    let columns: Vec<_> = statement.columns().iter().map(|each| each.name()).collect();
    equal(columns, vec!["n", "t"])?;
    for i in 0..10_i32 {
        let row = client.query_one(&statement, &[&i, &"x"]).await?;
        equal((row.get::<_, i32>(0), row.get::<_, &str>(1)), (i + 1, "x"))?;
    }
    let typed = client.prepare_typed("SELECT $1", &[Type::INT8]).await?;
    equal(
        client.query_one(&typed, &[&7_i64]).await?.get::<_, i64>(0),
        7,
    )?;
    // A type that it does not know is looked up in the catalog.
    let row = client
        .query_one("SELECT '{a,b}'::name[] AS names", &[])
        .await?;
    equal(row.get::<_, Vec<&str>>(0), vec!["a", "b"])
}

async fn pipelined(client: &Client) -> Outcome {
    let statement = client.prepare("SELECT $1::int4 * 2").await?;
    let answers = future::join_all((0..100_i32).map(|i| {
        let statement = &statement;
        async move {
            client
                .query_one(statement, &[&i])
                .await
                .map(|row| row.get::<_, i32>(0))
        }
    }))
    .await;
    let found: Result<Vec<i32>, Error> = answers.into_iter().collect();
    equal(found?, (0..100).map(|i| i * 2).collect())?;
    let (one, failed, two) = future::join3(
        client.query_one("SELECT 1", &[]),
        client.query_one("SELECT 1 / 0", &[]),
        client.query_one("SELECT 2", &[]),
    )
    .await;
    equal(refused(failed)?.code(), &SqlState::DIVISION_BY_ZERO)?;
    equal((one?.get::<_, i32>(0), two?.get::<_, i32>(0)), (1, 2))
}

async fn transaction(client: &mut Client) -> Outcome {
    let mut outer = client
        .build_transaction()
        .isolation_level(IsolationLevel::Serializable)
        .start()
        .await?;
    outer
        .execute("INSERT INTO rust_orders VALUES (1, 'a@x', 1)", &[])
        .await?;
    let inner = outer.savepoint("s").await?;
    let failed = inner
        .execute("INSERT INTO rust_orders VALUES (1, 'b@x', 1)", &[])
        .await;
    equal(refused(failed)?.code(), &SqlState::UNIQUE_VIOLATION)?;
    let failed = inner.query_one("SELECT 1", &[]).await;
    equal(
        refused(failed)?.code(),
        &SqlState::IN_FAILED_SQL_TRANSACTION,
    )?;
    inner.rollback().await?;
    outer
        .execute("INSERT INTO rust_orders VALUES (2, 'b@x', 2)", &[])
        .await?;
    outer.commit().await?;
    let outer = client.transaction().await?;
    equal(outer.execute("DELETE FROM rust_orders", &[]).await?, 2)?;
    outer.rollback().await?;
    let row = client
        .query_one("SELECT count(*) FROM rust_orders", &[])
        .await?;
    equal(row.get::<_, i64>(0), 2)
}

async fn portals(client: &mut Client) -> Outcome {
    let transaction = client.transaction().await?;
    let numbers = transaction
        .bind("SELECT g FROM generate_series(1, 250) AS g", &[])
        .await?;
    let words = transaction
        .bind("SELECT 'w' || g FROM generate_series(1, 3) AS g", &[])
        .await?;
    let mut read = Vec::new();
    for _ in 0..3 {
        let rows = transaction.query_portal(&numbers, 100).await?;
        read.push(rows.len());
        // Two portals are read in turns.
        transaction.query_portal(&words, 1).await?;
    }
    equal(read, vec![100, 100, 50])?;
    transaction.commit().await?;
    Ok(())
}

async fn errors(client: &Client) -> Outcome {
    let text = "INSERT INTO rust_orders VALUES (3, 'a@x', 1)";
    let told = refused(client.execute(text, &[]).await)?;
    equal(
        (told.code(), told.schema(), told.table(), told.constraint()),
        (
            &SqlState::UNIQUE_VIOLATION,
            Some("public"),
            Some("rust_orders"),
            Some("rust_orders_email_key"),
        ),
    )?;
    equal(told.detail(), Some("Key (email)=(a@x) already exists."))?;
    let told = refused(
        client
            .execute("INSERT INTO rust_orders (id) VALUES (3)", &[])
            .await,
    )?;
    equal(told.column(), Some("email"))?;
    let text = "INSERT INTO rust_orders VALUES (3, 'c@x', 0)";
    let told = refused(client.execute(text, &[]).await)?;
    equal(told.constraint(), Some("rust_orders_qty"))?;
    let told = refused(client.execute("SELECT * FROM rust_nothing", &[]).await)?;
    equal(told.code(), &SqlState::UNDEFINED_TABLE)?;
    equal(told.position(), Some(&ErrorPosition::Original(15)))
}

async fn copy(client: &Client) -> Outcome {
    client
        .batch_execute("CREATE TABLE rust_copy (id int PRIMARY KEY, word text)")
        .await?;
    let into = client.copy_in("COPY rust_copy FROM STDIN").await?;
    pin_mut!(into);
    for i in 0..2_000 {
        into.send(Bytes::from(format!("{i}\tw{i}\n"))).await?;
    }
    equal(into.finish().await?, 2_000)?;
    let into = client
        .copy_in("COPY rust_copy FROM STDIN (FORMAT BINARY)")
        .await?;
    let writer = BinaryCopyInWriter::new(into, &[Type::INT4, Type::TEXT]);
    pin_mut!(writer);
    for i in 2_000..3_000_i32 {
        writer
            .as_mut()
            .write(&[&i, &(i % 7 != 0).then_some("b")])
            .await?;
    }
    equal(writer.finish().await?, 1_000)?;
    let query = "COPY (SELECT * FROM rust_copy ORDER BY id) TO STDOUT (FORMAT BINARY)";
    let out = BinaryCopyOutStream::new(client.copy_out(query).await?, &[Type::INT4, Type::TEXT]);
    let rows: Vec<_> = out.try_collect().await?;
    equal(rows.len(), 3_000)?;
    equal((rows[7].get::<i32>(0), rows[7].get::<&str>(1)), (7, "w7"))?;
    let none: Option<&str> = rows[2_002].get(1);
    equal(none, None)?;
    let out = client
        .copy_out("COPY (SELECT * FROM rust_copy WHERE id = 1) TO STDOUT")
        .await?;
    let text: Vec<Bytes> = out.try_collect().await?;
    equal(text.concat(), b"1\tw1\n".to_vec())?;
    let into = client.copy_in("COPY rust_copy FROM STDIN").await?;
    pin_mut!(into);
    into.send(Bytes::from("9000\tx\nno number\ty\n")).await?;
    equal(
        refused(into.finish().await)?.code(),
        &SqlState::INVALID_TEXT_REPRESENTATION,
    )?;
    // One that is let go of before its end is no row at all.
    let into = client.copy_in("COPY rust_copy FROM STDIN").await?;
    {
        pin_mut!(into);
        into.send(Bytes::from("9001\tx\n")).await?;
    }
    let row = client
        .query_one("SELECT count(*) FROM rust_copy", &[])
        .await?;
    equal(row.get::<_, i64>(0), 3_000)
}

async fn rows(client: &Client) -> Outcome {
    let none: [i32; 0] = [];
    let stream = client
        .query_raw("SELECT g FROM generate_series(1, 20000) AS g", none.iter())
        .await?;
    let sum = stream.try_fold(0_i64, |sum, row| async move {
        Ok(sum + i64::from(row.get::<_, i32>(0)))
    });
    equal(sum.await?, 200_010_000)?;
    // One that is let go of early leaves the connection in order.
    {
        let text = "SELECT g FROM generate_series(1, 20000) AS g";
        let stream = client.query_raw(text, none.iter()).await?;
        pin_mut!(stream);
        equal(stream.next().await.is_some(), true)?;
    }
    let messages = client
        .simple_query("SELECT 1 AS a, NULL; SELECT 'two'")
        .await?;
    let texts: Vec<_> = messages
        .iter()
        .filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row.get(0)),
            _ => None,
        })
        .collect();
    equal(texts, vec![Some("1"), Some("two")])
}

async fn cancel(client: &Client) -> Outcome {
    let token = client.cancel_token();
    let statement = client.query(ENDLESS, &[]);
    pin_mut!(statement);
    loop {
        match tokio::time::timeout(Duration::from_millis(300), statement.as_mut()).await {
            Ok(answer) => {
                equal(refused(answer)?.code(), &SqlState::QUERY_CANCELED)?;
                break;
            }
            // A cancel that comes before the statement ends nothing.
            Err(_) => token.cancel_query(NoTls).await?,
        }
    }
    let row = client.query_one("SELECT 1", &[]).await?;
    equal(row.get::<_, i32>(0), 1)
}
