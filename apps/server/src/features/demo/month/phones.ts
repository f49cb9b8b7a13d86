import { generateKeyPairSync, hash } from "node:crypto";
import type { Input } from "@tidings/client";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import type { PushEnvelope } from "../../content/push/payload.pure.ts";
import type { PushClient } from "../../push/providers/reply.pure.ts";
import { planNow, sendPushesNow } from "../../push/sending/public.ts";
import { PURCHASE } from "../names.pure.ts";
import { randomNumbers } from "../random.pure.ts";
import { campaignUuid, type KnownCustomer } from "./customers.ts";
import type { House } from "./house.ts";
import { APP_ID } from "./shop.pure.ts";
import { did } from "./shop-visits.ts";

/** Pushes that a provider of the month has taken, by token. */
export type Taken = Map<string, PushEnvelope>;

/** Of the form that the demo's own way takes: a campaign that a customer launches later pushes nowhere else. */
const tokenOf = ({ seed, number }: KnownCustomer): string => `demo-${hash("sha256", `${seed} ${number}`)}`;
/** One in so many devices has been given away: its token is worth nothing. */
const GONE = 14;

/** Stands in for both providers: takes pushes, of which none leaves, and refuses the tokens of devices that are gone. */
export const pushProvider = (taken: Taken, gone: ReadonlySet<string>): PushClient => ({
  async send({ id, token, payload }) {
    if (gone.has(token)) return { kind: "rejected", code: "Unregistered", class: "token_invalid" };
    // The server has written it: an envelope in the body for APNs, and as text in the data for FCM.
    const { tidings } = JSON.parse(payload) as { tidings: PushEnvelope | string };
    taken.set(token, typeof tidings === "string" ? (JSON.parse(tidings) as PushEnvelope) : tidings);
    return { kind: "accepted", providerId: id };
  },
  close() {},
});

export const goneTokens = (customers: readonly KnownCustomer[]): Set<string> =>
  new Set(
    customers
      .filter(({ hasApp }) => hasApp !== null)
      .filter((_, index) => index % GONE === 5)
      .map(tokenOf),
  );

/** Credentials that no provider knows: campaigns need them to be ready. */
export async function putCredentials({ api }: House): Promise<void> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { privateKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const pem = { type: "pkcs8", format: "pem" } as const;
  const to = { appId: APP_ID, environment: "production" as const, expectedRevision: 0 };
  await api.putPushCredential({
    body: {
      ...to,
      platform: "ios",
      credential: {
        provider: "apns",
        teamId: "DAYBREAK00",
        keyId: "DAYBREAK01",
        topic: APP_ID,
        privateKey: privateKey.export(pem).toString(),
      },
    },
  });
  await api.putPushCredential({
    body: {
      ...to,
      platform: "android",
      credential: {
        provider: "fcm",
        projectId: "daybreak-example",
        clientEmail: "push@daybreak-example.example",
        privateKey: rsa.export(pem).toString(),
      },
    },
  });
}

const CAPABILITIES = { actions: ["open"], channels: ["default"], richImages: true, categories: [] };

const installationOf = ({ number }: KnownCustomer): string => `phone-${number}`;
const headersOf = ({ seed, number }: KnownCustomer) => ({
  "X-Service-Installation-Capability": Buffer.from(hash("sha256", `phone ${seed} ${number}`), "hex").toString(
    "base64url",
  ),
});

/** The app is opened for the first time, asks whether it may send, and says so. */
export async function install({ sdk }: House, customer: KnownCustomer): Promise<void> {
  const { hasApp: platform, userId, number } = customer;
  if (platform === null) return;
  const headers = headersOf(customer);
  const installationId = installationOf(customer);
  const path = { installationId };
  await sdk.bootstrapInstallation({
    body: {
      installationId,
      appId: APP_ID,
      platform,
      environment: "production",
      capability: headers["X-Service-Installation-Capability"],
    },
  });
  const guards = async (requestId: string) => {
    const { installation } = await sdk.getInstallation({ path, headers });
    const { bindingGeneration, revision, tokenRevision } = installation;
    return { plain: { requestId, bindingGeneration, revision }, tokenRevision };
  };
  await sdk.setInstallationBinding({ path, headers, body: { ...(await guards("bind")).plain, userId } });
  const permission = number % 9 === 4 ? ("denied" as const) : ("granted" as const);
  const facts = { permission, consent: true, capabilities: CAPABILITIES };
  await sdk.setInstallationFacts({ path, headers, body: { ...(await guards("facts")).plain, ...facts } });
  if (permission === "denied") return;
  const { plain, tokenRevision } = await guards("token");
  await sdk.setInstallationToken({
    path,
    headers,
    body: { ...plain, tokenRevision, token: tokenOf(customer) },
  });
}

type Command = Input<"recordObservations">["body"]["commands"][number];

/** Sends a push campaign at the instant of the house, and has the phones tell what became of it. */
export async function sendPushes(
  house: House,
  customers: readonly KnownCustomer[],
  taken: Taken,
  id: string,
): Promise<void> {
  const { app, sdk, projectId } = house;
  const sentAt = app.clock();
  await planNow(app, { projectId, campaignId: campaignUuid(id) });
  await sendPushesNow(app, projectId);
  await Promise.all(
    customers.map(async (customer) => {
      const push = taken.get(tokenOf(customer));
      if (push === undefined) return;
      taken.delete(tokenOf(customer));
      const next = randomNumbers(customer.seed ^ 0x27d4eb2f);
      const draw = { arrives: next(), taps: next(), orders: next(), after: next() };
      if (draw.arrives > 0.93) return;
      const { targetId, attemptId, bindingGeneration } = push;
      const path = { installationId: installationOf(customer) };
      const headers = headersOf(customer);
      const tell = (sequence: number, kind: "receipt" | "tap", at: number) => {
        const command: Command = { id: `${kind}-${sequence}`, sequence, kind, targetId, attemptId };
        return house.at(at, () =>
          sdk.recordObservations({ path, headers, body: { bindingGeneration, commands: [command] } }),
        );
      };
      const at = sentAt + Math.floor(draw.after * 3 * MINUTE_MS);
      await tell(1, "receipt", at);
      if (draw.taps > 0.2) return;
      const tapsAt = at + Math.floor(draw.after * 5 * HOUR_MS);
      await tell(2, "tap", tapsAt);
      if (draw.orders < 0.3)
        await did(house, customer, {
          name: PURCHASE,
          at: tapsAt + 4 * MINUTE_MS,
          props: { items: 1, cents: 1_450 },
        });
    }),
  );
}
