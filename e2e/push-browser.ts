/**
 * What the Chromium of the tests lacks for web push: the headless shell has no notifications, and no browser of a test has a push service.
 * Only these parts of the browser are replaced, by requests to the site that this answers; pages, worker and everything between them are real.
 */
import type { BrowserContext, CDPSession, Route, Worker } from "playwright-core";
import type { BrowserSubscription, WebPushPeer } from "../apps/server/test/peers/web-push.ts";

type Subscribed = BrowserSubscription;

/** A notification as the worker had it shown. */
export type ShownNotification = {
  id: number;
  title: string;
  body?: string;
  icon?: string;
  image?: string;
  tag?: string;
  renotify?: boolean;
  actions?: { action: string; title: string }[];
  data?: unknown;
};

/** A person's browser in which a site may send pushes. */
export type PushBrowser = {
  /** What the browser asks for permission is answered with this. */
  answersWith(permission: "granted" | "denied" | "default"): void;
  /** As in the settings of the browser; pages that are open learn it when they are loaded again. */
  permit(permission: "granted" | "denied" | "default"): void;
  subscription(): Subscribed | null;
  /** All subscriptions that were ever made, in order. */
  made: Subscribed[];
  /** Ends the subscription without the site, as push services do. */
  endSubscription(): void;
  shown(): readonly ShownNotification[];
  /** Addresses that a click brought to the front: of new windows, and of those that were open. */
  led: { opened: string[]; focused: string[] };
  /** The only worker that runs. */
  worker(): Promise<Worker>;
  /** The browser's part of a push that has come: the text in it, decrypted. Starts the worker where it does not run. */
  deliver(text: string): Promise<void>;
  /** Ends the worker, as browsers do after half a minute. */
  stopWorker(): Promise<void>;
  click(notification: ShownNotification, action?: string): Promise<void>;
  /** The service has ended the subscription, and says so. */
  changeSubscription(): Promise<void>;
};

const BROWSER = "/of-the-browser/";

/** Runs in pages and in workers, before any script of the site. */
const PARTS = `
(() => {
  const call = async (name, body = null) => {
    const answer = await fetch("${BROWSER}" + name, { method: "POST", body: JSON.stringify(body) });
    const value = await answer.json();
    if (!answer.ok) throw new DOMException(value, value.split(":")[0]);
    return value;
  };
  // Read without a promise, for which workers have no way: there it is what was read first.
  const readPermission = () => {
    const request = new XMLHttpRequest();
    request.open("POST", "${BROWSER}permission", false);
    request.send("null");
    return JSON.parse(request.responseText);
  };
  let permission = "granted";
  const get = () => (globalThis.XMLHttpRequest === undefined ? permission : readPermission());
  Object.defineProperty(Notification, "permission", { get, configurable: true });
  Notification.requestPermission = () => call("ask");
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (each) => each.charCodeAt(0));
  const subscriptionOf = ({ endpoint, keys, applicationServerKey }) => ({
    endpoint,
    options: { userVisibleOnly: true, applicationServerKey: bytes(applicationServerKey).buffer },
    toJSON: () => ({ endpoint, expirationTime: null, keys }),
    unsubscribe: () => call("unsubscribe"),
  });
  PushManager.prototype.getSubscription = async () => {
    const found = await call("subscription");
    return found && subscriptionOf(found);
  };
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
    if (userVisibleOnly !== true || bytes(applicationServerKey).length !== 65) throw new TypeError("subscribe");
    return subscriptionOf(await call("subscribe", applicationServerKey));
  };
  const notificationOf = (shown) => ({ actions: [], ...shown, close: () => call("close", shown.id) });
  const { prototype } = ServiceWorkerRegistration;
  prototype.showNotification = async (title, options = {}) => {
    if (options.renotify && !options.tag) throw new TypeError("renotify needs a tag");
    structuredClone(options.data);
    await call("show", { title, ...options });
  };
  prototype.getNotifications = async () => (await call("shown")).map(notificationOf);
  if (globalThis.Clients === undefined) return;
  Clients.prototype.openWindow = async (url) => { await call("opened", url); return null; };
  WindowClient.prototype.focus = async function () { await call("focused", this.url); return this; };
  globalThis.ofTheBrowser = {
    click(shown, action) {
      const event = new ExtendableEvent("notificationclick", { cancelable: true });
      const works = [];
      const waitUntil = (work) => works.push(work);
      Object.defineProperties(event, { notification: { value: notificationOf(shown) }, action: { value: action }, waitUntil: { value: waitUntil } });
      dispatchEvent(event);
      return Promise.all(works);
    },
    change() {
      const event = new ExtendableEvent("pushsubscriptionchange");
      const works = [];
      Object.defineProperty(event, "waitUntil", { value: (work) => works.push(work) });
      dispatchEvent(event);
      return Promise.all(works);
    },
  };
})();
`;

/** The first lines of the site's worker in a test: what the browser lacks. What is of the site comes behind it. */
export const workerWith = (script: string): string => PARTS + script;

type OfTheBrowser = {
  click(shown: ShownNotification, action: string): Promise<unknown>;
  change(): Promise<unknown>;
};
declare const ofTheBrowser: OfTheBrowser;

/** Gives the browser of a context what web push needs. `service`: its push service. */
export async function pushBrowser(context: BrowserContext, service: WebPushPeer): Promise<PushBrowser> {
  let permission = "default";
  let answer: string | null = null;
  let current: Subscribed | null = null;
  let notifications: ShownNotification[] = [];
  let count = 0;
  const made: Subscribed[] = [];
  const led = { opened: [] as string[], focused: [] as string[] };
  const fault = (name: string): never => {
    throw new Error(`${name}: of the test's browser`);
  };
  const parts: Record<string, (given: never) => unknown> = {
    ask: () => {
      if (permission === "default" && answer !== null) permission = answer;
      return permission;
    },
    permission: () => permission,
    subscription: () => current,
    subscribe: (applicationServerKey: string) => {
      if (permission !== "granted") fault("NotAllowedError");
      if (current !== null && current.applicationServerKey !== applicationServerKey)
        fault("InvalidStateError");
      if (current === null) {
        current = service.subscribe(applicationServerKey);
        made.push(current);
      }
      return current;
    },
    unsubscribe: () => {
      const had = current !== null;
      current = null;
      return had;
    },
    show: (given: Omit<ShownNotification, "id">) => {
      if (permission !== "granted") fault("TypeError");
      const others = notifications.filter(({ tag }) => tag === undefined || tag !== given.tag);
      notifications = [...others, { id: ++count, ...given }];
      return null;
    },
    shown: () => notifications,
    close: (closed: number) => {
      notifications = notifications.filter(({ id }) => id !== closed);
      return null;
    },
    opened: (url: string) => led.opened.push(url),
    focused: (url: string) => led.focused.push(url),
  };
  await context.route(`**${BROWSER}*`, async (route: Route) => {
    const request = route.request();
    const part = parts[new URL(request.url()).pathname.slice(BROWSER.length)];
    try {
      await route.fulfill({ json: part?.(request.postDataJSON() as never) ?? null });
    } catch (refusal) {
      await route.fulfill({ status: 400, json: (refusal as Error).message });
    }
  });
  await context.addInitScript(PARTS);
  const worker = async (): Promise<Worker> => {
    const [running] = context.serviceWorkers();
    return running ?? context.waitForEvent("serviceworker");
  };
  /** The worker's registration as the browser's own tools know it. */
  async function tools(): Promise<{ session: CDPSession; origin: string; registrationId: string }> {
    const [page] = context.pages();
    if (page === undefined) throw new Error("No page is open.");
    const session = await context.newCDPSession(page);
    const found = new Promise<string>((resolve) =>
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
        if (first !== undefined) resolve(first.registrationId);
      }),
    );
    await session.send("ServiceWorker.enable");
    return { session, origin: new URL(page.url()).origin, registrationId: await found };
  }
  return {
    answersWith: (given) => {
      answer = given;
    },
    permit: (given) => {
      permission = given;
      if (given !== "granted") current = null;
    },
    subscription: () => current,
    made,
    endSubscription: () => {
      current = null;
    },
    shown: () => notifications,
    led,
    worker,
    async deliver(data) {
      const { session, origin, registrationId } = await tools();
      await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
      await session.detach();
    },
    async stopWorker() {
      const { session } = await tools();
      const stopped = new Promise<void>((resolve) =>
        session.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
          if (versions.some(({ runningStatus }) => runningStatus === "stopped")) resolve();
        }),
      );
      await session.send("ServiceWorker.stopAllWorkers");
      await stopped;
      await session.detach();
    },
    async click(notification, action = "") {
      await (await worker()).evaluate(([shown, id]) => ofTheBrowser.click(shown, id), [
        notification,
        action,
      ] as const);
    },
    async changeSubscription() {
      await (await worker()).evaluate(() => ofTheBrowser.change());
    },
  };
}
