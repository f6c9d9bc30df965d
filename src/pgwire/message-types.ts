/** What clients send, by the code of the character that is its type. */
export const FRONTEND = {
  bind: 0x42,
  close: 0x43,
  copyData: 0x64,
  copyDone: 0x63,
  copyFail: 0x66,
  describe: 0x44,
  execute: 0x45,
  flush: 0x48,
  functionCall: 0x46,
  parse: 0x50,
  password: 0x70,
  query: 0x51,
  sync: 0x53,
  terminate: 0x58,
} as const;

/** What the server sends. */
export const BACKEND = {
  authentication: 0x52,
  backendKeyData: 0x4b,
  bindComplete: 0x32,
  closeComplete: 0x33,
  commandComplete: 0x43,
  copyData: 0x64,
  copyDone: 0x63,
  copyInResponse: 0x47,
  copyOutResponse: 0x48,
  dataRow: 0x44,
  emptyQueryResponse: 0x49,
  errorResponse: 0x45,
  negotiateProtocolVersion: 0x76,
  noData: 0x6e,
  noticeResponse: 0x4e,
  parameterDescription: 0x74,
  parameterStatus: 0x53,
  parseComplete: 0x31,
  portalSuspended: 0x73,
  readyForQuery: 0x5a,
  rowDescription: 0x54,
} as const;

/** Numbers in place of a protocol version at the head of a startup packet. */
export const STARTUP = {
  cancelRequest: 80_877_102,
  sslRequest: 80_877_103,
  gssRequest: 80_877_104,
  major: 3,
} as const;
