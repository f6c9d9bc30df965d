//! iceberg-rust with credentials: a session whose token ends, which its caller renews; static
//! tokens, wrong ones.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{NestedField, PrimitiveType, Schema, Type};
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation, TableIdent};
use iceberg_catalog_rest::{RestCatalog, RestCatalogBuilder};

type Outcome = Result<(), Box<dyn Error>>;

struct Client {
    catalog: RestCatalog,
    table: TableIdent,
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("no {name}"))
}

async fn connect(option: &str, value: String) -> Result<Client, Box<dyn Error>> {
    let given = HashMap::from([
        ("uri".to_string(), variable("FIRN_TEST_URL")),
        (option.to_string(), value),
    ]);
    let builder = RestCatalogBuilder::default().with_storage_factory(Arc::new(LocalFsStorageFactory));
    let catalog = builder.load("firn", given).await?;
    let table = TableIdent::new(NamespaceIdent::new("rust".into()), "t".into());
    Ok(Client { catalog, table })
}

impl Client {
    async fn begin(&self) -> Outcome {
        let namespace = self.table.namespace();
        self.catalog.create_namespace(namespace, HashMap::new()).await?;
        let depth = NestedField::optional(1, "depth", Type::Primitive(PrimitiveType::Long));
        let schema = Schema::builder().with_fields([Arc::new(depth)]).build()?;
        let asked = TableCreation::builder().name(self.table.name().into()).schema(schema).build();
        self.catalog.create_table(namespace, asked).await?;
        Ok(())
    }

    async fn count(&self, value: &str) -> Outcome {
        let table = self.catalog.load_table(&self.table).await?;
        let change = Transaction::new(&table);
        let action = change.update_table_properties().set("count".into(), value.into());
        action.apply(change)?.commit(&self.catalog).await?;
        self.finds(value).await
    }

    async fn finds(&self, value: &str) -> Outcome {
        let table = self.catalog.load_table(&self.table).await?;
        let found = table.metadata().properties().get("count").cloned();
        expect(found.as_deref() == Some(value), format!("found {found:?}"))
    }

    /// Its token has ended, and the client does not renew it by itself.
    async fn is_refused(&self) -> Outcome {
        match self.catalog.load_table(&self.table).await {
            Ok(_) => Err("it is let in".into()),
            Err(error) => expect(error.to_string().contains("401"), error),
        }
    }

    async fn end(&self) -> Outcome {
        self.catalog.drop_table(&self.table).await?;
        Ok(self.catalog.drop_namespace(self.table.namespace()).await?)
    }
}

fn expect(holds: bool, why: impl Display) -> Outcome {
    if holds { Ok(()) } else { Err(why.to_string().into()) }
}

fn report(name: &str, outcome: Outcome) {
    match outcome {
        Ok(()) => println!("ok {name}"),
        Err(why) => println!("not ok {name}: {}", why.to_string().replace('\n', " | ")),
    }
}

async fn wrong(option: &str, value: String) -> Outcome {
    let stranger = connect(option, value).await?;
    match stranger.catalog.list_namespaces(None).await {
        Ok(_) => Err("it is let in".into()),
        Err(_) => Ok(()),
    }
}

#[tokio::main]
async fn main() -> Outcome {
    let key = variable("FIRN_TEST_KEY");
    let session = connect("credential", format!("admin:{key}")).await?;
    let by_key = connect("token", key.clone()).await?;
    report("a credential makes a token, and a table", session.begin().await);
    report("it commits", session.count("1").await);
    report("a key is a token", by_key.finds("1").await);
    report("a wrong credential is refused", wrong("credential", format!("admin:{key}x")).await);
    report("a wrong token is refused", wrong("token", format!("{key}x")).await);
    let life: u64 = variable("FIRN_TEST_TOKEN_MS").parse()?;
    tokio::time::sleep(Duration::from_millis(life + 1_000)).await;
    report("a token ends", session.is_refused().await);
    report("a key does not", by_key.count("2").await);
    session.catalog.regenerate_token().await?;
    report("the session renews it when told to", session.count("3").await);
    report("a table is dropped", session.end().await);
    Ok(())
}
