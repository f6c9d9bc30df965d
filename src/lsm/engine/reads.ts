import type { Manifest } from "../format/manifest.ts";
import { Memtable } from "../memtable/memtable.ts";
import { ExpiryClock } from "../read/entry-semantics.ts";
import { Estimates } from "../read/estimate.ts";
import { Operators } from "../read/operators.ts";
import { PointLookups, ReadFigures } from "../read/point-lookups.ts";
import { type ReadView, ReadViews } from "../read/read-view.ts";
import type { ScanSource } from "../read/scan.ts";
import { TableCache } from "../read/table-cache.ts";
import type { Opened } from "./open.ts";

/** What reads tell the engine, and ask of it. */
interface ReadsHost extends Pick<ScanSource, "assertReadable"> {
  /** What an error of a table means: its file may be gone because another owner collected it. */
  readonly explain: (error: unknown) => Promise<unknown>;
  readonly onWaited: (ms: number) => void;
}

/** What lookups and scans go through: open tables, the current view, the semantics of entries. */
export class Reads {
  readonly tables: TableCache;
  readonly views: ReadViews;
  readonly operators: Operators;
  readonly source: ScanSource;
  readonly lookups: PointLookups;
  readonly estimates: Estimates;

  constructor({ parts, options, prefix, budget, manifest, memtables }: Opened, host: ReadsHost) {
    const { clock, store } = parts;
    const { explain, assertReadable, onWaited } = host;
    this.tables = new TableCache(store, prefix, budget.cache, { ...options, explain });
    const [active = new Memtable(), ...frozen] = memtables;
    this.views = new ReadViews({ active, frozen, ...this.sorted(manifest) });
    this.operators = new Operators(manifest.operators);
    const { nowMs } = new ExpiryClock(clock);
    const figures = new ReadFigures();
    this.source = {
      tables: this.tables,
      views: this.views,
      semantics: { operators: this.operators, nowMs, values: this.tables.values },
      figures,
      assertReadable,
      turn: () => clock.sleep(0),
    };
    this.estimates = new Estimates(this.tables, this.views);
    this.lookups = new PointLookups(this.source, figures, clock, onWaited);
  }

  /** The tables that a manifest names, as places of a view. */
  sorted({ level0, runs }: Manifest): Pick<ReadView, "l0" | "runs"> {
    const { tables } = this;
    return {
      l0: level0.map((meta) => tables.of(meta)),
      runs: runs.map((run) => ({ id: run.id, tables: run.tables.map((meta) => tables.of(meta)) })),
    };
  }
}
