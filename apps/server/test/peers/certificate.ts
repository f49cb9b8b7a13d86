import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";

export type Certificate = { key: string; cert: string };
let trusted: Promise<Certificate> | null = null;

/** A certificate for this machine, signed by itself. */
export async function newCertificate(): Promise<Certificate> {
  const pems = await generate([{ name: "commonName", value: "Loopback" }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 86_400_000),
    extensions: [
      { name: "basicConstraints", cA: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 2, value: "localhost" },
          { type: 7, ip: "127.0.0.1" },
        ],
      },
    ],
  });
  return { key: pems.private, cert: pems.cert };
}

/** The one that this process trusts, beside those that it trusted before. */
export function trustedCertificate(): Promise<Certificate> {
  trusted ??= newCertificate().then((certificate) => {
    setDefaultCACertificates([...getCACertificates("default"), certificate.cert]);
    return certificate;
  });
  return trusted;
}

/** A certificate of its own, with a file for NODE_EXTRA_CA_CERTS of the process that should trust it. */
export async function newCertificateFile(): Promise<Certificate & { caFile: string }> {
  const certificate = await newCertificate();
  const caFile = join(mkdtempSync(join(tmpdir(), "tidings-peer-")), "ca.pem");
  writeFileSync(caFile, certificate.cert);
  return { ...certificate, caFile };
}
