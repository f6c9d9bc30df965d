import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate that vouches for itself, and its key, both in PEM form. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const OID = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  subjectAltName: "551d11",
};

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length: bytes } = body;
  // The shortest form of the length: browsers take no other one.
  const long = bytes < 256 ? [0x81, bytes] : [0x82, bytes >> 8, bytes & 0xff];
  const length = bytes < 128 ? [bytes] : long;
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
/** Up to 2049 as UTCTime, `260102030405Z`, and later as GeneralizedTime: browsers insist on it. */
const time = (date: Date) => {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, "");
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(text.slice(2)))
    : der(0x18, Buffer.from(text));
};

/** For 127.0.0.1, ::1 and localhost, in X.509 version 3 (RFC 5280). */
export function makeCertificate(
  name: string,
  lasts: { from?: Date; to?: Date } = {},
): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const day = 86_400_000;
  const { from = new Date(Date.now() - day), to = new Date(Date.now() + day) } = lasts;
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const common = sequence(oid(OID.commonName), der(0x0c, Buffer.from(name)));
  const subject = sequence(der(0x31, common));
  const loopback6 = Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
  const names = sequence(
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, loopback6),
    der(0x82, Buffer.from("localhost")),
  );
  const extensions = sequence(sequence(oid(OID.subjectAltName), der(0x04, names)));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const body = sequence(
    version3,
    serial,
    algorithm,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  return { cert: pem(sequence(body, algorithm, signature)), key: pemOfKey(privateKey) };
}

function pem(bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}
