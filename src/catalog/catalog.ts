import type { AccountId } from "../base/ids.ts";
import { Accounts } from "./account-list.ts";
import { type AccountStores, accountContext, openAccount } from "./accounts.ts";
import { Catalogs } from "./catalogs.ts";
import { Connectors } from "./connectors.ts";
import { Constraints } from "./constraints.ts";
import { type CatalogContext, contextWithin } from "./context.ts";
import { Deletes } from "./deletes.ts";
import { Dropped } from "./dropped.ts";
import { History } from "./history.ts";
import { Jobs } from "./jobs.ts";
import { Namespaces } from "./namespaces.ts";
import { Principals } from "./principals.ts";
import { Reports } from "./reports.ts";
import { Resolver } from "./resolve.ts";
import { Statistics } from "./statistics.ts";
import { StorageProfiles } from "./storage-profiles.ts";
import { Tables } from "./tables.ts";
import { Views } from "./views.ts";

/** The resource model of one account. */
export class AccountCatalog {
  readonly context: CatalogContext;
  readonly catalogs: Catalogs;
  readonly namespaces: Namespaces;
  readonly tables: Tables;
  readonly views: Views;
  readonly accounts: Accounts;
  readonly connectors: Connectors;
  readonly principals: Principals;
  readonly storageProfiles: StorageProfiles;
  readonly statistics: Statistics;
  readonly constraints: Constraints;
  readonly reports: Reports;
  readonly deletes: Deletes;
  readonly dropped: Dropped;
  readonly jobs: Jobs;
  readonly history: History;

  private constructor(context: CatalogContext) {
    const resolver = new Resolver(context);
    this.context = context;
    this.catalogs = new Catalogs(context, resolver);
    this.namespaces = new Namespaces(context, resolver);
    this.tables = new Tables(context, resolver);
    this.views = new Views(context, resolver);
    this.accounts = new Accounts(context);
    this.connectors = new Connectors(context);
    this.principals = new Principals(context);
    this.storageProfiles = new StorageProfiles(context);
    this.statistics = new Statistics(context);
    this.constraints = new Constraints(context);
    this.reports = new Reports(context);
    this.deletes = new Deletes(context);
    this.dropped = new Dropped(context, resolver);
    this.jobs = new Jobs(context);
    this.history = new History(context);
  }

  /** The model of another account over the same stores. No runner looks for its jobs. */
  within(account: AccountId): AccountCatalog {
    return new AccountCatalog(contextWithin(this.context, account));
  }

  /** Opens the account of this name, which is made where it is not there yet. */
  static async open(stores: AccountStores, account: string): Promise<AccountCatalog> {
    return new AccountCatalog(await openAccount(stores, account));
  }

  /** Of an account that is there. No request. */
  static of(stores: AccountStores, account: AccountId): AccountCatalog {
    return new AccountCatalog(accountContext(stores, account));
  }
}
