/** Where a command prints. */
export interface Output {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
}
