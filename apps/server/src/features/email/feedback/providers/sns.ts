import { type KeyObject, X509Certificate } from "node:crypto";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { remember } from "../../../../platform/remember.ts";
import { type App, resource } from "../../../../platform/runtime.ts";
import { isRecent, isSignedBySns, SNS_MAX_AGE, SnsMessage } from "./signatures.ts";

const TIMEOUT_MS = 5_000;
/** SNS changes its certificate now and then; a flood of made-up addresses must not fill the memory. */
const MAX_KEYS = 20;
const HOST = /^sns\.[a-z0-9-]{3,40}\.amazonaws\.com(\.cn)?$/;

/** An address of SNS itself, or of the host that stands in for it; null for any other. */
function snsAddress(address: string, standIn: string | null): URL | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (standIn !== null && url.origin === standIn) return url;
  const isOurs = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  if (!isOurs || !HOST.test(url.hostname)) return null;
  return standIn === null ? url : new URL(url.pathname + url.search, standIn);
}

/** The text at an address, or null where there is none. @throws ApiError without an answer, so that SNS sends the report again. */
async function fetchText(url: URL): Promise<string | null> {
  try {
    const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const text = await answer.text();
    if (answer.status >= 500) throw new Error(`${url.host} answered ${answer.status}`);
    return answer.ok ? text : null;
  } catch (cause) {
    throw new ApiError("unavailable", undefined, { cause, headers: { "retry-after": "60" } });
  }
}

async function fetchKey(address: string): Promise<KeyObject | null> {
  const certificate = await fetchText(new URL(address));
  try {
    return certificate === null ? null : new X509Certificate(certificate).publicKey;
  } catch {
    return null;
  }
}

/** The public keys of certificates, by their address. */
const snsKeys = resource(({ clock }) =>
  remember<KeyObject, null>({ clock, max: MAX_KEYS, believedMs: Number.POSITIVE_INFINITY, load: fetchKey }),
);

async function keyAt(app: App, address: string): Promise<KeyObject | null> {
  const url = snsAddress(address, app.config.snsCertOrigin);
  if (url === null || !url.pathname.endsWith(".pem")) return null;
  return app.get(snsKeys).get(url.href);
}

/** The message that SNS sent about this topic, or null when it did not. The certificate is fetched once. */
export async function readSns(
  app: App,
  body: unknown,
  { topic, now }: { topic: string; now: number },
): Promise<SnsMessage | null> {
  const parsed = SnsMessage.safeParse(body);
  if (!parsed.success) return null;
  const message = parsed.data;
  // SNS signs the messages of all its customers with one key. Only the topic, which is signed too, tells ours apart.
  if (message.TopicArn !== topic || !isRecent(Date.parse(message.Timestamp), now, SNS_MAX_AGE)) return null;
  const key = await keyAt(app, message.SigningCertURL);
  return key !== null && isSignedBySns(message, key) ? message : null;
}

/** Confirms to SNS that this server wants the messages of the topic. False where the address is not one of SNS. */
export async function confirmSubscription(app: App, { SubscribeURL }: SnsMessage): Promise<boolean> {
  const url = snsAddress(SubscribeURL ?? "", app.config.snsCertOrigin);
  return url !== null && (await fetchText(url)) !== null;
}
