/** A number whose token a JavaScript number would not print again byte for byte (`1.0`, `1e3`). */
export class JsonNumber {
  readonly token: string;
  constructor(token: string) {
    this.token = token;
  }
}
