import type { PushEnvironment } from "../../../domain/fields.ts";
import { openWayOut } from "../../../platform/net/way-out.ts";
import { BoundedMap } from "../../../platform/remember.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { openApns } from "./apns.ts";
import { SEND_MS } from "./client.ts";
import { openFcm } from "./fcm.ts";
import type { PushClient } from "./reply.pure.ts";
import type { PushCredential } from "./schema.ts";
import { openWebPush } from "./webpush.ts";

/** A credential with its id and revision. */
export type KnownCredential = {
  id: string;
  revision: number;
  environment: PushEnvironment;
  credential: PushCredential;
};

const APPLE: Readonly<Record<PushEnvironment, string>> = {
  development: "https://api.sandbox.push.apple.com",
  production: "https://api.push.apple.com",
};

/** Clients that are kept. A client without connections is small, and idle connections close by themselves. */
const MAX_CLIENTS = 1_000;

/** Connections to one push service of browsers. */
const BROWSER_CONNECTIONS = 200;
/** Of a refusal: more than any push service says. */
const KEPT_BYTES = 1_024;

const wayToBrowsers = resource(({ config: { dnsServer, webpushPrivate: allowPrivate } }) =>
  openWayOut({
    dnsServer,
    allowPrivate,
    deadlineMs: SEND_MS,
    keptBytes: KEPT_BYTES,
    connections: BROWSER_CONNECTIONS,
  }),
);

function open(app: App, known: KnownCredential): PushClient {
  const { config, clock, log } = app;
  const { credential } = known;
  const onFault = ({ message }: Error): void =>
    log.warn({ provider: credential.provider, reason: message }, "a push provider cannot be reached");
  const url = providerAddress(app, known);
  switch (credential.provider) {
    case "apns":
      return openApns(credential, { clock, onFault, url });
    case "fcm":
      return openFcm(credential, { clock, onFault, url, tokenUrl: config.googleTokenUrl });
    case "webpush":
      return openWebPush(credential, {
        clock,
        onFault,
        hosts: config.webpushHosts,
        wayOut: app.get(wayToBrowsers),
      });
  }
}

/** Where browsers are reached is said by each of them: an acceptance by one push service is true of the credential everywhere. */
const BROWSERS = "browsers";

/** The address at which a credential is used: what a provider says of a credential is true of this one. */
export const providerAddress = (
  { config }: Pick<App, "config">,
  { environment, credential }: Pick<KnownCredential, "environment" | "credential">,
): string => {
  switch (credential.provider) {
    case "apns":
      return config.apnsUrl ?? APPLE[environment];
    case "fcm":
      return config.fcmUrl;
    case "webpush":
      return BROWSERS;
  }
};

/** The clients of this process: one per credential, revision and address. */
export const pushClients = resource((app) => {
  const kept = new BoundedMap<PushClient>(MAX_CLIENTS);
  return {
    /** The client of a credential. Pushes in flight with an older revision are finished by its own client. */
    clientFor(known: KnownCredential): PushClient {
      const key = `${known.id} ${known.revision} ${providerAddress(app, known)}`;
      const found = kept.get(key);
      if (found !== undefined) return found;
      const client = open(app, known);
      kept.set(key, client);
      return client;
    },
  };
});
