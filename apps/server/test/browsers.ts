import { randomUUID } from "node:crypto";
import { after } from "node:test";
import type { Config } from "../src/platform/config.ts";
import { type Device, install } from "./devices.ts";
import { type TestHouse, type TestProject, testHouse } from "./harness.ts";
import { type BrowserSubscription, startWebPush, type WebPushPeer } from "./peers/web-push.ts";
import { APP, putCredential } from "./push.ts";

/** A contact as push services take it. */
export const SUBJECT = "mailto:push@tidings.dev";

export type BrowserHouse = {
  house: TestHouse;
  peer: WebPushPeer;
  /** A project that can send to browsers, with the key that they subscribe with. */
  browserProject(): Promise<TestProject & { applicationServerKey: string }>;
};

/** A house whose browsers have a push service of their own. Call at the top of a file. */
export async function browserHouse(overrides: Partial<Config> = {}): Promise<BrowserHouse> {
  const peer = await startWebPush({ clock: () => house.now() });
  const house = testHouse({ webpushHosts: peer.hosts, webpushPrivate: true, ...overrides });
  after(() => peer.close());
  return {
    house,
    peer,
    async browserProject() {
      const project = await house.project();
      await putCredential(project, { provider: "webpush", subject: SUBJECT });
      const { applicationServerKey } = await project.sdk.getPushKey({ query: { appId: APP } });
      return { ...project, applicationServerKey };
    },
  };
}

export type Browser = Device & { subscription: BrowserSubscription };

/** A browser that can be sent to: bound to a user who agreed, subscribed at the push service, under one of its names. */
export async function browser(
  project: TestProject & { applicationServerKey: string },
  peer: WebPushPeer,
  userId: string,
  at = peer.url,
): Promise<Browser> {
  const device = await install(project, {
    appId: APP,
    platform: "web",
    installationId: `browser-${randomUUID()}`,
  });
  await device.bind(userId);
  await device.say({ capabilities: { actions: ["open"], channels: [], richImages: true } });
  const subscription = peer.subscribe(project.applicationServerKey, at);
  await device.put(JSON.stringify(subscription));
  return { ...device, subscription };
}
