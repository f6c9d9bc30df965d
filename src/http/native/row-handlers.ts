import type { RowOperations } from "../../api/row-operations.ts";
import type { Call, Handlers } from "./call.ts";
import { JsonText } from "./json-text.ts";
import { relationOf } from "./names.ts";
import { renderJob } from "./render.ts";

/** Answers of these are made as text: their numbers may not survive as values of JavaScript. */
async function asText<Name extends keyof RowOperations>(
  _call: Call<Name>,
  text: Promise<string>,
): Promise<RowOperations[Name]["answer"]> {
  return new JsonText(await text) as unknown as RowOperations[Name]["answer"];
}

export const ROW_HANDLERS: Handlers<keyof RowOperations> = {
  getRows: (call) =>
    asText(call, call.service.rows.get(call.actor, relationOf(call.params), call.body)),
  scanRows: (call) =>
    asText(call, call.service.rows.scan(call.actor, relationOf(call.params), call.body)),
  writeRows: (call) =>
    asText(call, call.service.rows.write(call.actor, relationOf(call.params), call.body)),
  checkRows: (call) =>
    call.service.rows.check(call.actor, relationOf(call.params), { ...call.body, repair: false }),
  repairRows: (call) =>
    call.service.rows.check(call.actor, relationOf(call.params), { ...call.body, repair: true }),
  moveTable: async ({ actor, service, params, body }) =>
    renderJob(
      await service.jobs.begun(actor, await service.rows.move(actor, relationOf(params), body)),
    ),
};
