import { after } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { Platform } from "../src/domain/fields.ts";
import { PROVIDER_OF } from "../src/features/push/providers/schema.ts";
import type { Config } from "../src/platform/config.ts";
import { type Device, install } from "./devices.ts";
import { type TestHouse, type TestProject, testHouse } from "./harness.ts";
import { type ApnsPeer, startApns } from "./peers/apns.ts";
import { type FcmPeer, startFcm } from "./peers/fcm.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

export const APP = "com.example.app";

export type PushHouse = {
  house: TestHouse;
  apns: ApnsPeer;
  fcm: FcmPeer;
  /** A project that can send to both platforms. */
  sendingProject(): Promise<TestProject>;
};

/** A house whose pushes go to peers of its own. Call at the top of a file. */
export async function pushHouse(overrides: Partial<Config> = {}): Promise<PushHouse> {
  const clock = (): number => house.now();
  const apns = await startApns({ clock });
  const fcm = await startFcm({ clock });
  const house = testHouse({ apnsUrl: apns.url, fcmUrl: fcm.url, googleTokenUrl: fcm.tokenUrl, ...overrides });
  after(() => Promise.all([apns.close(), fcm.close()]));
  return {
    house,
    apns,
    fcm,
    async sendingProject() {
      const project = await house.project();
      await putCredential(project, apns.credential);
      await putCredential(project, fcm.credential);
      return project;
    },
  };
}

type GivenPushCredential = Input<"putPushCredential">["body"]["credential"];
type Way = { platform?: Platform; environment?: "development" | "production" };

const platformOf = ({ provider }: GivenPushCredential): Platform =>
  Platform.options.find((platform) => PROVIDER_OF[platform] === provider) ?? "ios";

/** Puts the credential that pushes to the app are sent with; the first one, or the one after `expectedRevision`. */
export async function putCredential(
  { api }: TestProject,
  credential: GivenPushCredential,
  { platform = platformOf(credential), environment = "production" }: Way = {},
  expectedRevision = 0,
): Promise<Answer<"putPushCredential">["credential"]> {
  const body = { appId: APP, platform, environment, expectedRevision, credential };
  if (credential.privateKey !== undefined) keepSecrets(credential.privateKey);
  return (await api.putPushCredential({ body })).credential;
}

let tokens = 0;

/** A device that can be sent to: bound to a user who agreed, with a token of its own. */
export async function reachable(
  project: TestProject,
  userId: string,
  given: Way & { installationId?: string; capability?: string; token?: string | null } = {},
): Promise<Device & { token: string }> {
  const { token = `f00d${String(tokens++).padStart(12, "0")}`, ...bootstrap } = given;
  const device = await install(project, { appId: APP, ...bootstrap });
  await device.bind(userId);
  await device.say();
  if (token !== null) await device.put(token);
  return { ...device, token: token ?? "" };
}

type CampaignBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];
export type PushMessage = {
  title: string;
  body: string;
  destination: { kind: "website" | "app"; url: string };
} & Record<string, unknown>;

export const MESSAGE: PushMessage = {
  title: "Hello {{ user.name | default: 'there' }}",
  body: "Something new for you.",
  destination: { kind: "app", url: "example://news" },
};

export const PUSH = { appId: APP, selection: { kind: "last_active" as const } };

/** A launched push campaign for everyone, with whatever is given on top. */
export async function launchPush(
  { api }: TestProject,
  body: Partial<CampaignBody> = {},
): Promise<Answer<"createCampaign">["campaign"]> {
  const content = body.variants === undefined ? { message: MESSAGE } : {};
  const { campaign } = await api.createCampaign({
    body: { name: "Push", channel: "push", launch: true, push: PUSH, ...content, ...body },
  });
  return campaign;
}

export type Inspection = Answer<"getCampaignPush">;

/** What there is of a campaign, up to a hundred of each. */
export const inspect = ({ api }: TestProject, id: string): Promise<Inspection> =>
  api.getCampaignPush({ path: { id }, query: { perPage: 100 } });

/** State and reason of the only recipient of a campaign, or of its only device. */
export async function stateOf(
  project: TestProject,
  id: string,
  what: "recipients" | "slots",
): Promise<[string, string | null]> {
  const [only, ...others] = (await inspect(project, id))[what];
  if (only === undefined || others.length > 0)
    throw new Error(`There are ${others.length + 1} ${what}, or none.`);
  return [only.state.kind, "reason" in only.state ? only.state.reason : null];
}

/** A project as it is seen through clients of its keys. */
export const asProject = (
  keys: { projectId: string; publishableKey: string; secretKey: string; agentKey: string },
  url: string,
  client: (key: string) => TestProject["api"],
): TestProject => ({
  ...keys,
  url,
  sdk: client(keys.publishableKey),
  api: client(keys.secretKey),
  agent: client(keys.agentKey),
});

export type PushRecords = Pick<Inspection, "slots" | "outcomes">;

/** All slots and outcomes of a campaign, page by page. */
export async function readRecords({ api }: TestProject, id: string): Promise<PushRecords> {
  const found: PushRecords = { slots: [], outcomes: [] };
  for (let page = 1; ; page++) {
    const { slots, outcomes, pageCounts } = await api.getCampaignPush({
      path: { id },
      query: { page, perPage: 100 },
    });
    found.slots.push(...slots);
    found.outcomes.push(...outcomes);
    if (page >= Math.max(pageCounts.slots, pageCounts.outcomes)) return found;
  }
}
