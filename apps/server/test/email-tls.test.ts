import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import { generate } from "selfsigned";
import {
  cleanUp,
  keysOf,
  migratedDataDir,
  newDataDir,
  serve,
  stop,
  tidings,
  until,
} from "./commands/spawned.ts";
import { startSmtp } from "./peers/smtp.ts";

after(cleanUp);

/** A certificate for 127.0.0.1 that vouches for itself. */
async function certificate(): Promise<{ cert: string; key: string }> {
  const made = await generate([{ name: "commonName", value: "127.0.0.1" }], {
    keySize: 2048,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A server of its own that sends one message to a mail server with STARTTLS and a login; answers what it says of it. */
async function sendOver(env: Record<string, string>, port: number, password: string) {
  const dataDir = await migratedDataDir();
  const server = await serve({ DATA_DIR: dataDir, ...env });
  const { projectId, secretKey, publishableKey } = keysOf(server);
  const set = await tidings(
    [
      "settings",
      "set",
      "--project",
      projectId,
      "email.from=a@acme.example",
      "email.postalAddress=1 Main Street",
      "email.domainVerified=true",
      `email.smtpUrl=smtp://mailer:${password}@127.0.0.1:${port}`,
    ],
    { DATA_DIR: dataDir },
  );
  assert.equal(set.code, 0, set.stderr);
  await createClient(server.url, publishableKey).identify({
    body: { userId: "ada", traits: { email: "ada@example.com" } },
  });
  const api = createClient(server.url, secretKey);
  const { campaign } = await api.createCampaign({
    body: { name: "Secret", channel: "email", launch: true, message: { subject: "Hi", body: "Text" } },
  });
  const read = () => api.getCampaignEmail({ path: { id: campaign.id } });
  await until(async () => {
    const { accepted, fault } = await read();
    return accepted === 1 || fault !== null;
  }, "it was sent, or says why not");
  const progress = await read();
  await stop(server);
  return progress;
}

describe("a mail server with STARTTLS and a login", async () => {
  const { cert, key } = await certificate();
  const start = () =>
    startSmtp({
      options: {
        cert,
        key,
        authOptional: false,
        disabledCommands: [],
        onAuth({ username, password }, session, done) {
          const isRight = username === "mailer" && password === "p@ss word" && session.secure;
          if (isRight) done(null, { user: username });
          else done(Object.assign(new Error("5.7.8 Wrong user or password"), { responseCode: 535 }));
        },
      },
    });

  it("is sent to under a certificate that is trusted", async () => {
    const smtp = await start();
    const ca = join(await newDataDir(), "ca.pem");
    await writeFile(ca, cert);
    const { accepted } = await sendOver({ NODE_EXTRA_CA_CERTS: ca }, smtp.port, "p%40ss%20word");
    assert.equal(accepted, 1);
    assert.deepEqual(
      smtp.taken.map(({ to }) => to),
      ["ada@example.com"],
    );
    await smtp.close();
  });

  it("gets nothing under one that is not, and the reason can be read", async () => {
    const smtp = await start();
    const { accepted, waiting, fault } = await sendOver({}, smtp.port, "p%40ss%20word");
    assert.deepEqual([accepted, waiting], [0, 1]);
    assert.match(fault?.message ?? "", /certificate/i);
    assert.equal(smtp.taken.length, 0);
    await smtp.close();
  });

  it("refuses a wrong password, which is not the recipient's fault", async () => {
    const smtp = await start();
    const ca = join(await newDataDir(), "ca.pem");
    await writeFile(ca, cert);
    const { failed, waiting, fault } = await sendOver({ NODE_EXTRA_CA_CERTS: ca }, smtp.port, "wrong");
    assert.deepEqual([failed, waiting], [0, 1]);
    assert.match(fault?.message ?? "", /5\.7\.8 Wrong user or password/);
    await smtp.close();
  });
});
