import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

/** What a page sends of a credential: each part as base64url. */
type Credential = { id: string; rawId: string; type: "public-key"; response: Record<string, string> };

/** A device that makes passkeys and signs in with them, as a browser asks it to. */
export type Authenticator = {
  /** A new passkey, for the challenge of a registration. */
  make(challenge: string): Credential & { clientExtensionResults: object };
  /** The proof that the device has its passkey, for the challenge of a sign-in. */
  sign(challenge: string): Credential & { clientExtensionResults: object };
};

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: string | Buffer): string => Buffer.from(data).toString("base64url");

/** CBOR of a text of less than 24 characters, and of 24 to 255 bytes. */
const cborText = (text: string): Buffer => Buffer.concat([Buffer.of(0x60 + text.length), Buffer.from(text)]);
const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of(0x58, bytes.length), bytes]);

/** The present user was verified (flags UP and UV); AT: a new key follows. */
const [PRESENT, WITH_KEY] = [0x05, 0x45];

/** An authenticator with one key on P-256. @param origin of the page: the scheme, host and port that the browser shows */
export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let uses = 0;
  const clientData = (type: string, challenge: string): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  /** The id of the server that asks, flags, and how often the key was used. */
  const authenticatorData = (flags: number): Buffer =>
    Buffer.concat([sha256(new URL(origin).hostname), Buffer.of(flags, 0, 0, 0, ++uses)]);
  /** The public key as COSE has it: EC2, ES256, P-256, x, y. */
  const coseKey = (): Buffer => {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const coordinate = (label: number, value: string): Buffer =>
      Buffer.concat([Buffer.of(label), cborBytes(Buffer.from(value, "base64url"))]);
    return Buffer.concat([
      Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01),
      coordinate(0x21, x),
      coordinate(0x22, y),
    ]);
  };
  const credential = (response: Record<string, string>) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key" as const,
    response,
    clientExtensionResults: {},
  });
  return {
    make(challenge) {
      const authData = Buffer.concat([
        authenticatorData(WITH_KEY),
        Buffer.alloc(16),
        Buffer.of(0, id.length),
        id,
        coseKey(),
      ]);
      const attestationObject = Buffer.concat([
        Buffer.of(0xa3),
        cborText("fmt"),
        cborText("none"),
        cborText("attStmt"),
        Buffer.of(0xa0),
        cborText("authData"),
        cborBytes(authData),
      ]);
      return credential({
        clientDataJSON: base64url(clientData("webauthn.create", challenge)),
        attestationObject: base64url(attestationObject),
      });
    },
    sign(challenge) {
      const [data, client] = [authenticatorData(PRESENT), clientData("webauthn.get", challenge)];
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return credential({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature),
      });
    },
  };
}
