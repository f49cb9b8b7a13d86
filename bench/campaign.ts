import { generateKeyPairSync } from "node:crypto";
import { createClient } from "@tidings/client";
import { countUsers } from "./filled.ts";
import type { TidingsUnderLoad } from "./processes.ts";

/** Sets what a project needs to send, as its people would, beside the running server. */
export async function setSender(
  { projectId, command }: Pick<TidingsUnderLoad, "projectId" | "command">,
  smtpUrl: string,
  ...more: string[]
): Promise<void> {
  const settings = [
    "email.from=Acme News <news@acme.example>",
    "email.postalAddress=Acme, 1 Main Street, Springfield",
    "email.domainVerified=true",
    "email.capMax=0",
    `email.smtpUrl=${smtpUrl}`,
    ...more,
  ];
  await command("settings", "set", "--project", projectId, ...settings);
}

/** Gives a project an APNs credential for the devices that `fillDevices` makes. */
export async function setCredential({
  port,
  secretKey,
}: Pick<TidingsUnderLoad, "port" | "secretKey">): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  await createClient(`http://127.0.0.1:${port}`, secretKey).putPushCredential({
    body: {
      appId: "com.example.app",
      platform: "ios",
      environment: "production",
      expectedRevision: 0,
      credential: {
        provider: "apns",
        teamId: "TEAM123456",
        keyId: "KEY1234567",
        topic: "com.example.app",
        privateKey,
      },
    },
  });
}

/** People with addresses and traits for personal fields: `user-0@example.com` and so on. */
export async function insertRecipients(tidings: TidingsUnderLoad, recipients: number): Promise<void> {
  const db = await tidings.connect();
  await db.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    select get_byte(digest, 0) >> 2, encode(substring(digest from 1 for 16), 'hex')::uuid, $1::text::uuid, 'user-' || n,
      jsonb_build_object('email', 'user-' || n || '@example.com', 'name', 'Person ' || n, 'plan', 'free'), 1, 1
    from (
      select n, sha256(convert_to($1::text, 'UTF8') || '\\x00'::bytea || convert_to('user-' || n, 'UTF8')) as digest
      from generate_series(0, $2::int - 1) n
    ) people`,
    [tidings.projectId, recipients],
  );
  await countUsers(db);
  await db.query("vacuum analyze users");
  await db.end();
}
