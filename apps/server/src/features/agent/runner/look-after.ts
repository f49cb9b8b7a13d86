import { type Agent, draftDue, lookAfter as evaluateDue, patientFetch, type Watcher } from "@tidings/agent";
import { createClient, TidingsError } from "@tidings/client";
import { apiId } from "../../../domain/ids.ts";
import { pinnedFetch } from "../../../platform/net/pinned-fetch.ts";
import { publicAddresses } from "../../../platform/net/public-host.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { lendKey } from "../../access/public.ts";
import { isByOperator, readSettings } from "../../settings/public.ts";
import { agentSettings } from "../evaluations/settings.pure.ts";
import { drafterOf, policyOf } from "./policies.ts";

const KEY_LASTS_MS = HOUR_MS;
/** A key that ends within this time is replaced before it is used: more than a request takes with all its tries. */
const RENEWED_BEFORE_MS = 10 * MINUTE_MS;

/** When to stop: once `signal` is aborted, or after so many campaigns. `send`: another way to the API than its address. */
type Bounds = { signal?: AbortSignal; most?: number; send?: typeof fetch };

type LentKey = { key: string; expiresAt: number };

/** The agent keys that this process has made for itself, by project. */
const lentKeys = resource(() => new Map<string, LentKey>());

async function keyOf(app: App, projectId: string): Promise<string> {
  const keys = app.get(lentKeys);
  const now = app.clock();
  const known = keys.get(projectId);
  if (known !== undefined && known.expiresAt > now + RENEWED_BEFORE_MS) return known.key;
  const expiresAt = now + KEY_LASTS_MS;
  const key = await app.database.kysely
    .transaction()
    .execute((tx) => lendKey(tx, { projectId, kind: "agent" }, now, expiresAt));
  keys.set(projectId, { key, expiresAt });
  return key;
}

/** Source work that is left alone for a while, by project. */
const restingRefs = resource(() => new Map<string, Map<string, number>>());

function restingOf(app: App, projectId: string): Map<string, number> {
  const all = app.get(restingRefs);
  const own = all.get(projectId) ?? new Map<string, number>();
  all.set(projectId, own);
  return own;
}

/** A fetch whose requests carry a key that is alive: a model may think for longer than a key lasts. */
function sendAs(app: App, projectId: string, send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${await keyOf(app, projectId)}`);
    return send(input, { ...init, headers });
  };
}

/**
 * Looks after the campaigns of a project that are due, at most `most`, by its policy and by the API, with keys that last an hour, and drafts
 * campaigns from what its repositories bring; answers how much it did. Without a policy, nothing happens. It takes no lock of its own: the lease of each evaluation is what keeps two apart.
 */
export async function lookAfter(
  app: App,
  projectId: string,
  {
    signal = new AbortController().signal,
    most = Number.POSITIVE_INFINITY,
    send = patientFetch(signal),
  }: Bounds = {},
): Promise<number> {
  const { database, secrets, clock, log } = app;
  const settings = await readSettings(database.kysely, secrets, projectId, agentSettings);
  const mayBePrivate =
    settings["agent.modelUrl"] === null || (await isByOperator(database.kysely, projectId, "agent.modelUrl"));
  const asking = mayBePrivate ? undefined : pinnedFetch((host) => publicAddresses(host, app.config));
  const policy = await policyOf(settings, asking);
  if (policy === null) return 0;
  const api = createClient(app.apiUrl(), "", sendAs(app, projectId, send));
  const agent: Agent = { api, policy, everyHours: settings["agent.everyHours"], clock, signal };
  const project = apiId("prj", projectId);
  try {
    const watcher: Watcher = {
      evaluated: (evaluated) => log.info({ project, ...evaluated }, "a campaign was evaluated"),
      failed: (campaignId, cause) =>
        log.error({ err: cause, project, campaignId }, "an evaluation broke off; its lease runs out"),
    };
    const evaluated = await evaluateDue(agent, watcher, most);
    const drafter = app.config.mode === "managed" ? await drafterOf(settings, asking) : null;
    if (drafter === null) return evaluated;
    const writer = { api, drafter, clock, signal, resting: restingOf(app, projectId) };
    const drafted = await draftDue(
      writer,
      (worked) => log.info({ project, ...worked }, "source work was looked at"),
      most,
    );
    return evaluated + drafted;
  } catch (cause) {
    // People may have replaced the project's agent keys, and with them this one.
    if (cause instanceof TidingsError && cause.status === 401) app.get(lentKeys).delete(projectId);
    throw cause;
  }
}
