/**
 * What pushes go to on loopback, in a process of its own: an APNs, or the push service of browsers. It answers after some milliseconds,
 * looks at nothing that takes long, and keeps nothing. Says over IPC where it is.
 */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { newApnsCredential, startApns } from "../apps/server/test/peers/apns.ts";
import { newCertificateFile } from "../apps/server/test/peers/certificate.ts";

const [, , to, latency = "40"] = process.argv;
const latencyMs = Number(latency);

async function startBrowsers(): Promise<{ url: string; caFile: string; credential: object }> {
  const { caFile, ...certificate } = await newCertificateFile();
  const server = createServer(certificate, (request, response) => {
    request.resume();
    request.on("end", () => setTimeout(() => response.writeHead(201).end(), latencyMs));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const credential = { provider: "webpush", subject: "mailto:push@tidings.dev" };
  return { url: `https://127.0.0.1:${port}`, caFile, credential };
}

async function startPhones(): Promise<{ url: string; caFile: string; credential: object }> {
  const credential = await newApnsCredential();
  const { url, caFile } = await startApns({ latencyMs, credential, keeps: false });
  return { url, caFile, credential };
}

process.send?.(await (to === "browsers" ? startBrowsers() : startPhones()));
process.on("disconnect", () => process.exit(0));
