import type { HttpAnswer } from "./http.ts";

/** An answer that is a refusal, in the shape that the SDK gives its errors. */
export class ServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };
  readonly $response: {
    readonly statusCode: number;
    readonly headers: HttpAnswer["headers"];
  };

  /** `code`: the service's own name of what went wrong. */
  constructor(code: string, message: string, { status, headers }: HttpAnswer) {
    super(message);
    this.name = code;
    this.$metadata = { httpStatusCode: status };
    this.$response = { statusCode: status, headers };
  }
}
