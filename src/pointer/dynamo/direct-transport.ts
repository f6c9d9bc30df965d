import { crc32 } from "node:zlib";
import { type DynamoDB, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { type EndpointSource, sampleOf } from "../../aws/endpoint.ts";
import type { HttpAnswer, HttpPool } from "../../aws/http.ts";
import { ServiceError } from "../../aws/service-error.ts";
import { SignedClient } from "../../aws/signed-client.ts";
import { utf8Text } from "../../base/bytes.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256Hex } from "../../base/hash.ts";
import { decodeAnswer, encodeInput } from "./json.ts";
import {
  type DynamoOperation,
  DynamoSdkTransport,
  type DynamoTransport,
  type Input,
  type Output,
} from "./transport.ts";

/*
 * The service's own protocol, AWS JSON 1.0: each request is a POST of the operation's input to `/`,
 * its name in a header; an answer of 200 is its output, any other names what went wrong in
 * `__type`, behind a `#`. Binary values are base64.
 */

const TARGET = "DynamoDB_20120810";
const CONTENT_TYPE = "application/x-amz-json-1.0";

export interface DynamoDirectTransportOptions {
  readonly sdk: DynamoDB;
  readonly pool: HttpPool;
  readonly clock: Clock;
}

/** Requests signed and sent by ourselves, where the SDK's way of signing them is ours too. */
export class DynamoDirectTransport implements DynamoTransport {
  readonly #wire: SignedClient;
  readonly #rest: DynamoSdkTransport;

  constructor({ sdk, pool, clock }: DynamoDirectTransportOptions) {
    this.#wire = new SignedClient({ source: dynamoSource(sdk), pool, clock });
    this.#rest = new DynamoSdkTransport(sdk);
  }

  async send<O extends DynamoOperation>(
    operation: O,
    input: Input<O>,
    signal: AbortSignal,
  ): Promise<Output<O>> {
    const endpoint = await this.#wire.endpoint(signal);
    if (endpoint === undefined) return this.#rest.send(operation, input, signal);
    const body = encodeInput(input);
    const answer = await this.#wire.send(
      endpoint,
      {
        method: "POST",
        path: endpoint.path,
        body,
        payloadSha256: sha256Hex(body),
        headers: [
          ["content-type", CONTENT_TYPE],
          ["x-amz-target", `${TARGET}.${operation}`],
        ],
      },
      { signal },
    );
    const output = decodeAnswer(textOf(answer));
    if (answer.status !== 200) throw refusalOf(answer, output);
    return output as Output<O>;
  }
}

/** What the SDK knows of the service. */
export function dynamoSource(sdk: DynamoDB): EndpointSource {
  return {
    sample: () =>
      sampleOf(new GetItemCommand({ TableName: "sample", Key: { p: { S: "" } } }), (command) =>
        sdk.send(command),
      ),
    credentials: () => sdk.config.credentials(),
    escapePath: true,
  };
}

/** The service tells the checksum of what it has sent, and a broken proxy can break that. */
function textOf({ headers, body }: HttpAnswer): string {
  const told = headers["x-amz-crc32"];
  if (told !== undefined && Number(told) !== crc32(body)) {
    throw Object.assign(new Error("an answer damaged on its way"), { name: "DamagedAnswer" });
  }
  return utf8Text(body);
}

function refusalOf(answer: HttpAnswer, output: Readonly<Record<string, unknown>>): ServiceError {
  const type = String(answer.headers["x-amzn-errortype"] ?? output["__type"] ?? "Unnamed");
  const code = type.slice(type.indexOf("#") + 1).replace(/:.*$/s, "");
  const message = String(output["message"] ?? output["Message"] ?? "");
  const { Item, CancellationReasons } = output;
  return Object.assign(new ServiceError(code, message, answer), { Item, CancellationReasons });
}
