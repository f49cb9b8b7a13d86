import { type Device, type Push, pushOf } from "../index.ts";
import {
  type BrowserStanding,
  deviceOf,
  type PushSetup,
  permissionNow,
  readSetups,
  readStanding,
  serverKeyOf,
  tokenOf,
} from "./kept.ts";

/** What a notification shows in browsers that can, which the types of TypeScript leave out. */
type Shown = NotificationOptions & {
  actions?: { action: string; title: string }[];
  image?: string;
  renotify?: boolean;
};

/** What a site does with a button by itself, in place of what the push leads to. It is given the content of the push. */
type Actions = Record<string, (content: Push["content"]) => unknown>;

type SubscriptionChange = ExtendableEvent & {
  newSubscription?: PushSubscription | null;
  oldSubscription?: PushSubscription | null;
};

declare const self: ServiceWorkerGlobalScope & { tidingsActions?: Actions };

/** The tag of what is shown in place of a message that is not for the user of today. */
const OTHER_TAG = "tidings";

const warn = (fault: unknown): void => console.warn("tidings", fault);

/** This browser as a device of an app. */
type Here = { setup: PushSetup; standing: BrowserStanding; device: Device };

const readScope = (): Promise<PushSetup[]> => readSetups(self.registration.scope);

const devices = new Map<string, Device>();

/** The devices that the pages of this worker have made this browser; each is opened once for what the pages were last opened with. */
async function open(): Promise<Here[]> {
  const all: Here[] = [];
  for (const setup of await readScope()) {
    const standing = await readStanding(setup);
    if (!standing.isRegistered) continue;
    const json = JSON.stringify(setup);
    const device = devices.get(json) ?? deviceOf(setup, warn);
    devices.set(json, device);
    all.push({ setup, standing, device });
  }
  return all;
}

/** The device whose user of today a push is for; null where there is none. */
async function deviceFor(push: Push): Promise<Here | null> {
  for (const here of await open()) if (await here.device.isFor(push)) return here;
  return null;
}

function jsonOf(data: PushMessageData | null): unknown {
  try {
    return data?.json();
  } catch {
    return null;
  }
}

/** An address that may be opened and shown. */
function httpsOnly(address: unknown): string | undefined {
  try {
    const { protocol, href } = new URL(String(address));
    return protocol === "https:" ? href : undefined;
  } catch {
    return undefined;
  }
}

/** What is shown of a push. All of it is text; no browser reads markup in it. */
function shownOf({ content }: Push, tag: string | undefined, icon: string | undefined): Shown {
  const image = httpsOnly(content.image);
  return {
    body: content.body,
    actions: (content.actions ?? []).map(({ id, title }) => ({ action: id, title })),
    ...(icon === undefined ? {} : { icon }),
    ...(image === undefined ? {} : { image }),
    // One that takes another's place says something new, so it sounds as well.
    ...(tag === undefined ? {} : { tag, renotify: true }),
  };
}

/** Shows that something came, and no more. */
const showOther = (): Promise<void> =>
  self.registration.showNotification(self.location.hostname, { tag: OTHER_TAG, data: { tidings: {} } });

/**
 * Shows a push, and reports that it arrived. Browsers demand that something is shown for each: one for a user who has signed out here
 * since, or that cannot be shown, is shown as the name of the site alone.
 */
async function show(push: Push, tag: string | undefined): Promise<void> {
  const here = await deviceFor(push).catch(() => null);
  if (here === null) return showOther();
  try {
    const shown = { ...shownOf(push, tag, here.setup.icon), data: { tidings: push } };
    await self.registration.showNotification(push.content.title, shown);
    // Its pictures take time, in which the user may have signed out.
    if (!(await here.device.isFor(push))) {
      for (const each of await self.registration.getNotifications())
        if (each.data?.tidings?.attemptId === push.attemptId) each.close();
      return showOther();
    }
  } catch (fault) {
    warn(fault);
    return showOther();
  }
  await here.device.received(push);
  await here.device.sync();
}

/** Brings an address to the front: the window that shows it, or a new one. Without an address that is the site itself. */
async function lead(address: string | undefined): Promise<void> {
  const [setup] = address === undefined ? await readScope().catch(() => []) : [];
  const home = setup?.home ?? self.registration.scope;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const found = windows.find(({ url }) => (address === undefined ? url.startsWith(home) : url === address));
  await (found === undefined ? self.clients.openWindow(address ?? home) : found.focus());
}

/** The page that a push leads to; none for the site itself, which is also what a place in an app becomes. */
function addressOf({ content }: Push): string | undefined {
  const { kind, url } = content.destination;
  return kind === "website" ? httpsOnly(url) : undefined;
}

async function answer(push: Push, action: string): Promise<void> {
  const { tidingsActions: own = {} } = self;
  const act = action !== "" && Object.hasOwn(own, action) ? own[action] : undefined;
  // Begun before anything else, as browsers let a click open a window for a second or so.
  const done = (async () => (act === undefined ? lead(addressOf(push)) : act(push.content)))().catch(warn);
  // Those whose push it is not leave it out.
  for (const { device } of await open()) {
    await (action === "" ? device.opened(push) : device.acted(push, action));
    await device.sync();
  }
  await done;
}

/** Whose subscription changed: a worker has one at a time, and the site may have it from another service. */
async function renewing({ newSubscription, oldSubscription }: SubscriptionChange): Promise<Here | undefined> {
  const changed = newSubscription ?? oldSubscription;
  const key = changed && serverKeyOf(changed);
  const all = (await open()).filter(
    ({ standing: { consent, serverKey } }) =>
      consent && serverKey !== null && (key ?? serverKey) === serverKey,
  );
  return all.sort((a, b) => b.standing.visitedAt - a.standing.visitedAt)[0];
}

async function renew(change: SubscriptionChange): Promise<void> {
  const here = await renewing(change);
  const serverKey = here?.standing.serverKey ?? null;
  if (here === undefined || serverKey === null) return;
  const { pushManager } = self.registration;
  const options = { userVisibleOnly: true, applicationServerKey: serverKey };
  // Refused where the permission is gone; then there is nowhere to send to.
  const subscription = change.newSubscription ?? (await pushManager.subscribe(options).catch(() => null));
  await here.device.setFacts({ permission: permissionNow() });
  await here.device.setToken(subscription && tokenOf(subscription, serverKey));
  await here.device.sync();
}

self.addEventListener("push", (event) => {
  const data = jsonOf(event.data);
  const push = pushOf(data);
  const { tidings, tidings_tag: tag } = (data ?? {}) as Partial<Record<string, { version?: unknown }>>;
  if (push === null && tidings?.version !== 1) return;
  // What else the site listens with would show it a second time.
  event.stopImmediatePropagation();
  event.waitUntil(
    push === null ? showOther() : show(push, typeof tag === "string" && tag !== "" ? tag : undefined),
  );
});

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  if (!notification.data?.tidings) return;
  event.stopImmediatePropagation();
  notification.close();
  const push = pushOf(notification.data);
  event.waitUntil(push === null ? lead(undefined) : answer(push, action));
});

self.addEventListener("pushsubscriptionchange", (event) => {
  const change = event as SubscriptionChange;
  change.waitUntil(renew(change));
});

// A page looks whether the site's worker has this in it.
self.addEventListener("message", ({ data, ports }) => {
  if (data === "tidings") ports[0]?.postMessage("tidings");
});
