import { FirnError } from "../../base/error.ts";
import type { Envelope } from "../model.ts";
import { envelopeOf } from "./envelope.ts";
import { bytesBy, corruptOnThrow, v1 } from "./wire.ts";

/** The content of a report's payload: everything but its envelope. */
export function encodeReportContent(report: string): Uint8Array {
  return bytesBy((writer) => v1.MetricsReport.encode({ report }, writer));
}

/**
 * Reads the payload of a metrics report. The envelope names its table.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodeReport(bytes: Uint8Array): {
  readonly envelope: Envelope;
  readonly report: string;
} {
  const decoded = corruptOnThrow(() => {
    const { envelope, report } = v1.MetricsReport.decode(bytes);
    return { envelope: envelopeOf(envelope), report };
  });
  const { entityType } = decoded.envelope;
  if (entityType === "report") return decoded;
  throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "not a report", { entityType });
}
