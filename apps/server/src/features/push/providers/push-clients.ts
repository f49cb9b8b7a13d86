import { BoundedMap } from "../../../platform/remember.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { openApns } from "./apns.ts";
import { openFcm } from "./fcm.ts";
import type { PushClient } from "./reply.pure.ts";
import type { Environment, PushCredential } from "./schema.ts";

/** A credential with its id and revision. */
export type KnownCredential = {
  id: string;
  revision: number;
  environment: Environment;
  credential: PushCredential;
};

const APPLE: Readonly<Record<Environment, string>> = {
  development: "https://api.sandbox.push.apple.com",
  production: "https://api.push.apple.com",
};

/** Clients that are kept. A client without connections is small, and idle connections close by themselves. */
const MAX_CLIENTS = 1_000;

function open(app: App, known: KnownCredential): PushClient {
  const { config, clock, log } = app;
  const { credential } = known;
  const url = providerAddress(app, known);
  const onFault = ({ message }: Error): void =>
    log.warn({ provider: credential.provider, reason: message }, "a push provider cannot be reached");
  return credential.provider === "apns"
    ? openApns(credential, { clock, onFault, url })
    : openFcm(credential, { clock, onFault, url, tokenUrl: config.googleTokenUrl });
}

/** The address at which a credential is used: what a provider says of a credential is true of this one. */
export const providerAddress = (
  { config }: Pick<App, "config">,
  { environment, credential }: Pick<KnownCredential, "environment" | "credential">,
): string => (credential.provider === "apns" ? (config.apnsUrl ?? APPLE[environment]) : config.fcmUrl);

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
