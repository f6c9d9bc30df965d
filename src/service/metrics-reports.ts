import { Background, type OnDefect } from "../base/background.ts";
import { utf8 } from "../base/bytes.ts";
import type { TableId } from "../base/ids.ts";
import { type JsonObject, printJson } from "../base/json.ts";
import { Counts, type Metrics } from "../base/metrics.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { CATALOG_LIMITS } from "../catalog/limits.ts";
import type { MetricsReport } from "../catalog/reports.ts";
import type { Actor } from "./actor.ts";
import { assertIceberg } from "./iceberg-only.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { ofRelation } from "./relation-missing.ts";
import type { ReportOperations, TableRef } from "./requests.ts";

/** Tables whose reports are stored at the same time; those of one table go in order. */
const LANES = 4;

/**
 * Metrics reports of clients. Every scan of an engine is followed by one and waits for its answer,
 * so a report is answered as soon as its table is known to exist, and stored behind the answer.
 * What waits is bounded: where the store cannot keep up, or refuses, reports are counted and lost.
 */
export class MetricsReports implements ReportOperations {
  readonly #catalog: AccountCatalog;
  readonly #lanes: readonly Background[];
  readonly #count: (outcome: "stored" | "dropped" | "failed") => void;
  #waiting = 0;
  #waitingBytes = 0;

  constructor(catalog: AccountCatalog, metrics: Metrics, onDefect?: OnDefect) {
    this.#catalog = catalog;
    this.#lanes = Array.from({ length: LANES }, () => new Background(onDefect));
    const counter = new Counts(metrics, {
      name: "firn_metrics_reports_total",
      help: "Metrics reports of clients: stored, dropped unstored, or failed to be stored",
      labels: ["outcome"],
    });
    this.#count = (outcome) => counter.add(1, outcome);
  }

  /**
   * Takes a report of a table. Costs what a look at the table does.
   *
   * @throws FirnError `TABLE_NOT_FOUND`, and nothing of what becomes of the report.
   */
  async reportMetrics(actor: Actor, ref: TableRef, json: JsonObject): Promise<void> {
    const report = printJson(json);
    const { clock } = this.#catalog.context;
    const table = await this.#idOf(ref);
    const bytes = utf8(report).length;
    const fits =
      bytes <= SERVICE_LIMITS.reportBytes &&
      this.#waiting < SERVICE_LIMITS.reportsWaiting &&
      this.#waitingBytes + bytes <= SERVICE_LIMITS.reportsWaitingBytes;
    if (!fits) {
      this.#count("dropped");
      return;
    }
    this.#waiting++;
    this.#waitingBytes += bytes;
    const receivedAtMs = clock.nowMs();
    const lane = Number.parseInt(table.slice(-4), 16) % LANES;
    this.#lanes[lane]?.run(async () => {
      try {
        await this.#catalog.reports.add(actor, table, receivedAtMs, report);
        this.#count("stored");
      } catch (error) {
        this.#count("failed");
        throw error;
      } finally {
        this.#waiting--;
        this.#waitingBytes -= bytes;
      }
    });
  }

  /**
   * The newest reports of a table, newest first.
   *
   * @throws FirnError `TABLE_NOT_FOUND`; `Unavailable`.
   */
  async list(
    _actor: Actor,
    ref: TableRef,
    limit: number = CATALOG_LIMITS.reportsPerTable,
  ): Promise<readonly MetricsReport[]> {
    return this.#catalog.reports.list(await this.#idOf(ref), limit);
  }

  /** Resolves when everything taken so far is stored or lost. */
  async settled(): Promise<void> {
    for (const lane of this.#lanes) await lane.settled();
  }

  async #idOf({ catalog, namespace, table }: TableRef): Promise<TableId> {
    const ref = { catalog, path: namespace, name: table };
    const { summary } = await ofRelation("table", ref, () => this.#catalog.tables.find(ref));
    assertIceberg(summary, ref);
    return summary.entityId as TableId;
  }
}
