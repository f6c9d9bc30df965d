import { request } from "node:http";
import type { Answered } from "./support.ts";

/** A request of an operator: by the socket of the server's directory. */
export function asOperator(
  socketPath: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request({ socketPath, method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: {},
          body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
        }),
      );
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}
