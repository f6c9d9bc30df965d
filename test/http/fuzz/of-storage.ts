/** Fields of a storage profile: no store answers there, so that none is asked for long. */
export const OF_STORAGE: Readonly<Record<string, unknown>> = {
  endpoint: "http://127.0.0.1:9",
  stsEndpoint: "http://127.0.0.1:9",
  region: "eu-west-1",
  roleArn: "",
  kmsKeys: [],
  secret: { kind: "SEALED", accessKeyId: "a", secretAccessKey: "b" },
};
