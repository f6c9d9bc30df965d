import { type Datum, type RowScan, rowAt } from "../rows/index.ts";

/** The rows of a scan, which is closed behind the last, or where the loop ends. */
export async function* rowsOf(scan: RowScan): AsyncGenerator<readonly Datum[]> {
  try {
    for (let batch = await scan.nextBatch(); batch !== undefined; batch = await scan.nextBatch()) {
      for (let i = 0; i < batch.count; i++) yield rowAt(batch, i);
    }
  } finally {
    scan.close();
  }
}
