import type Long from "long";
import type { firn } from "../../gen/firn.js";
import type { Receipt } from "../model.ts";
import { big, bytesBy, bytesOf, corruptOnThrow, idOf, long, safe, v1 } from "./wire.ts";

/** A receipt, in bytes. */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const message: firn.v1.ReceiptSummary.$Properties = {
    requestHash: receipt.requestHash,
    principal: receipt.principal,
    status: receipt.status,
    key: receipt.key,
    version: long(receipt.version),
    metadataLocation: receipt.metadataLocation,
    expiresAtMs: long(receipt.expiresAtMs),
    changeId: bytesOf(receipt.changeId),
    errorKind: receipt.error?.kind ?? "",
    errorCode: receipt.error?.code ?? "",
    errorFacts: receipt.error?.facts ?? "",
    detail: receipt.detail ?? "",
  };
  return bytesBy((writer) => v1.ReceiptSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  return corruptOnThrow(() => {
    const m = v1.ReceiptSummary.decode(bytes);
    return {
      requestHash: m.requestHash,
      principal: m.principal,
      status: m.status,
      key: m.key,
      version: big(m.version as Long),
      metadataLocation: m.metadataLocation,
      expiresAtMs: safe(m.expiresAtMs as Long),
      ...(m.changeId.length === 0 ? {} : { changeId: idOf(m.changeId) }),
      ...(m.errorCode === ""
        ? {}
        : { error: { kind: m.errorKind, code: m.errorCode, facts: m.errorFacts } }),
      ...(m.detail === "" ? {} : { detail: m.detail }),
    };
  });
}
