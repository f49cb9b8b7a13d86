import type { Device } from "../index.ts";
import {
  type BrowserStanding,
  deviceOf,
  exclusively,
  keepSetup,
  keepStanding,
  type PushSetup,
  permissionNow,
  readStanding,
  serverKeyOf,
  tokenOf,
} from "./kept.ts";

/** What a page says of itself. */
export type WebPushOptions = {
  /** The project's publishable key. */
  key: string;
  /** Name of this site among the project's apps, which its push campaigns name. */
  appId: string;
  /** Default: production. */
  environment?: "production" | "development";
  /** Address of the Tidings server. Default: where this module came from. */
  url?: string;
  /** Path of the worker on this site. Default: /tidings-sw.js. */
  worker?: string;
  /** Ids of the buttons that this site's pushes may have. */
  actions?: readonly string[];
  /** Address of a picture that is shown beside each notification. */
  icon?: string;
  /** What is refused for good, or fails while nothing is awaited. Default: a warning on the console. */
  onFault?: (fault: Error) => void;
};

export type WebPushState = {
  /** `unsupported`: this browser has no web push; `default`: the user was not asked yet. */
  permission: "unsupported" | "default" | "granted" | "denied";
  /** Whether pushes arrive here for the user of the page: permitted, agreed, and subscribed. */
  isSubscribed: boolean;
  /** An iPhone or iPad that has web push once the site is on its home screen, and is opened from there. */
  needsHomeScreen: boolean;
};

export type WebPush = {
  state(): Promise<WebPushState>;
  /**
   * Asks for permission, and subscribes. Call it in a click, as browsers ask in no other case. What the user answered is in the state.
   * Rejects where the project has no key for web push, the worker cannot be registered, or another worker of the site is in its place.
   */
  subscribe(): Promise<WebPushState>;
  /** The user takes their consent back: nothing is sent here any more. */
  unsubscribe(): Promise<WebPushState>;
  /** Says who uses the page, with your own id of the user, and `userHash` where the project demands proof. */
  identify(userId: string, userHash?: string): Promise<void>;
  /** Says that the user has signed out. */
  reset(): Promise<void>;
  /** Reports what the user did. Does nothing in a browser that was never subscribed. */
  track(event: string, props?: Record<string, unknown>): Promise<void>;
};

/** A page that comes within this time after another one is the same visit, milliseconds. */
const VISIT_MS = 1_800_000;
/** How long the server has to answer, and a worker to become active, milliseconds. */
const PATIENCE_MS = 10_000;
/** How many users may have agreed in one browser. */
const MOST_AGREED = 16;

const isSupported = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** What this browser can show. */
function capabilitiesNow(actions: readonly string[]) {
  // What the types of TypeScript lack: Firefox and Safari have no `maxActions`, and Chromium alone shows images.
  const { maxActions = 0, prototype } = Notification as { maxActions?: number; prototype: object };
  return {
    actions: maxActions > 0 ? [...actions] : [],
    channels: [],
    richImages: "image" in prototype,
    categories: [],
  };
}

/** A user's id as it may stay in a browser after they have signed out. */
async function digestOf(appId: string, userId: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${appId}\n${userId}`));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

const within = <T>(work: (resolve: (value: T) => void) => void, fault: string): Promise<T> =>
  new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(fault)), PATIENCE_MS);
    work(resolve);
  });

const anyOf = ({ active, waiting, installing }: ServiceWorkerRegistration): ServiceWorker | null =>
  active ?? waiting ?? installing;

/** The path of a script, whatever version its query names. */
const pathOf = (address: string): string => new URL(address, location.href).pathname;

/** Where a worker may show notifications: the folder that it lies in. */
const scopeOf = (worker: string): string => new URL(".", new URL(worker, location.href)).href;

/** The registration at the scope of the worker, with its script; it may be another one's. */
async function registrationAt(worker: string) {
  const scope = scopeOf(worker);
  const found = await navigator.serviceWorker.getRegistration(scope);
  const script = found?.scope === scope ? anyOf(found) : null;
  if (found === undefined || script === null) return null;
  return { found, path: pathOf(script.scriptURL), isOurs: pathOf(script.scriptURL) === pathOf(worker) };
}

/** The registration of the worker, made where there is none. Never replaces another worker of the site. */
async function registered(worker: string): Promise<ServiceWorkerRegistration> {
  const standing = await registrationAt(worker);
  if (standing?.isOurs === false)
    throw new Error(
      `This site has a worker of its own, ${standing.path}: import tidings-sw.js in it, and name it as worker.`,
    );
  const registration = standing?.found ?? (await navigator.serviceWorker.register(worker));
  if (registration.active === null)
    await within<void>((resolve) => {
      const next = anyOf(registration);
      next?.addEventListener("statechange", () => next.state === "activated" && resolve());
    }, "The worker does not become active.");
  return registration;
}

/** Rejects where the worker shows no pushes of Tidings, as it does not import what does. */
async function check({ active }: ServiceWorkerRegistration): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await within<void>((resolve) => {
    port1.onmessage = () => resolve();
    active?.postMessage("tidings", [port2]);
  }, "The worker does not import tidings-sw.js.");
  port1.close();
}

/**
 * Web push for this page. Renews quietly what was subscribed: a subscription that is gone, or is of another key than the project's, is made
 * anew, and a permission that the user withdrew is reported.
 */
export function openWebPush(options: WebPushOptions): WebPush {
  const { key, appId, environment = "production", worker = "/tidings-sw.js", actions = [], icon } = options;
  const url = (options.url ?? new URL(".", import.meta.url).href).replace(/\/$/, "");
  const onFault = options.onFault ?? ((fault: Error) => console.warn("tidings", fault));
  const scope = scopeOf(worker);
  const setup: PushSetup = {
    url,
    key,
    appId,
    environment,
    icon: icon === undefined ? icon : new URL(icon, location.href).href,
    // A worker may lie in a folder without pages.
    home: location.href.startsWith(scope) ? scope : new URL("/", scope).href,
  };
  const isPossible = isSupported();
  let opened: Device | null = null;
  const device = (): Device => {
    opened ??= deviceOf(setup, onFault);
    return opened;
  };

  async function fetchServerKey(): Promise<string> {
    const query = new URLSearchParams({ appId, environment });
    const answer = await fetch(`${url}/api/v1/sdk/push-key?${query}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok)
      throw new Error(
        answer.status === 404
          ? `The project has no key for web push to ${appId}, ${environment}.`
          : `The key for web push was refused with ${answer.status}.`,
      );
    return ((await answer.json()) as { applicationServerKey: string }).applicationServerKey;
  }

  /**
   * The subscription with a key, made where there is none. A browser has one for a worker, and refuses another key while there is one.
   * @param replaces whether one of another key gives way; null where it may not
   */
  async function subscriptionWith(
    { pushManager }: ServiceWorkerRegistration,
    serverKey: string,
    replaces: (key: string) => boolean,
  ): Promise<PushSubscription | null> {
    const found = await pushManager.getSubscription();
    const foundKey = (found && serverKeyOf(found)) ?? serverKey;
    if (found !== null && foundKey === serverKey) return found;
    if (found !== null && !replaces(foundKey)) return null;
    await found?.unsubscribe();
    return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey });
  }

  const registration = async (): Promise<ServiceWorkerRegistration | undefined> => {
    const standing = await registrationAt(worker);
    return standing?.isOurs ? standing.found : undefined;
  };

  /** The subscription that was made here. One of another key is another service's. */
  async function ownSubscription({
    isRegistered,
    serverKey,
  }: BrowserStanding): Promise<PushSubscription | null> {
    const found = isRegistered ? await (await registration())?.pushManager.getSubscription() : null;
    return found && (serverKeyOf(found) ?? serverKey) === serverKey ? found : null;
  }

  /** Passes what stands to the library, which sends what the server does not know yet. */
  async function apply({ user, consent, isRegistered }: BrowserStanding, isVisit: boolean): Promise<void> {
    if (!isRegistered) return;
    await (user === null ? device().reset() : device().identify(user.id, user.hash));
    await device().setFacts({
      permission: permissionNow(),
      consent,
      capabilities: capabilitiesNow(actions),
    });
    if (isVisit) await device().active();
  }

  /** Messages for the user before are none of the next one's business. */
  async function clearNotifications(): Promise<void> {
    const shown = (await (await registration())?.getNotifications()) ?? [];
    for (const notification of shown) if (notification.data?.tidings) notification.close();
  }

  /** Changes what stands, in one page at a time, and reports it. Waits for nothing but what is stored: signing out does as well. */
  async function change(
    work: (standing: BrowserStanding) => Promise<BrowserStanding> | BrowserStanding,
  ): Promise<BrowserStanding> {
    let hasGone = false;
    const standing = await exclusively("page", async () => {
      const before = await readStanding(setup);
      const next = await work(before);
      hasGone = next.gone !== before.gone;
      await keepStanding(setup, next);
      await apply(next, next.visitedAt !== before.visitedAt);
      return next;
    });
    if (hasGone) await clearNotifications().catch(onFault);
    return standing;
  }

  /**
   * Sees to where the user of the page is reached: the subscription that there is, or a new one. The one before stays where nothing may be
   * sent, and so does one of another service.
   * @param given the project's key, where it was read now
   * @returns the key that is subscribed with
   */
  const putToken = (given?: string): Promise<string | null> =>
    exclusively("subscription", async () => {
      const { isRegistered, consent, serverKey: ownKey } = await readStanding(setup);
      const serverKey = given ?? ownKey;
      if (!isRegistered) return ownKey;
      if (Notification.permission !== "granted") await device().setToken(null);
      else if (consent && serverKey !== null) {
        const subscription = await subscriptionWith(
          await registered(worker),
          serverKey,
          (found) => found === ownKey,
        );
        await device().setToken(subscription && tokenOf(subscription, serverKey));
        return serverKey;
      }
      return ownKey;
    });

  /** What is due when a page opens, and more at a visit. */
  async function renew(): Promise<void> {
    await keepSetup(scope, setup);
    const { isRegistered, consent, visitedAt } = await change((standing) => standing);
    if (!isRegistered) return;
    const now = Date.now();
    const isVisit = Math.abs(now - visitedAt) >= VISIT_MS;
    // Offline, and where the project has no key for now, the subscription stays as it is.
    const given = isVisit && consent ? await fetchServerKey().catch(() => undefined) : undefined;
    const serverKey = await putToken(given).catch(onFault);
    if (isVisit)
      await change((standing) => ({
        ...standing,
        visitedAt: now,
        serverKey: serverKey ?? standing.serverKey,
      }));
  }

  async function signIn(
    standing: BrowserStanding,
    id: string,
    hash: string | undefined,
  ): Promise<BrowserStanding> {
    const { user, consent, agreed, gone } = standing;
    if (user?.id === id) return { ...standing, user: { id, hash } };
    const digest = await digestOf(appId, id);
    // The visitor who agreed is the one who signs in now. No user agrees for the next one.
    const all = user === null && consent ? [...agreed, digest] : agreed;
    // The server forgets with each user when the browser was used last.
    return {
      ...standing,
      user: { id, hash },
      agreed: all,
      consent: all.includes(digest),
      visitedAt: Date.now(),
      gone: user === null ? gone : gone + 1,
    };
  }

  /** The users who agreed, with a user or without. */
  async function agreedWith(
    agreed: readonly string[],
    id: string | null | undefined,
    isAgreed: boolean,
  ): Promise<readonly string[]> {
    if (id === null || id === undefined) return agreed;
    const digest = await digestOf(appId, id);
    const others = agreed.filter((other) => other !== digest);
    return isAgreed ? [...others, digest].slice(-MOST_AGREED) : others;
  }

  async function state(): Promise<WebPushState> {
    if (!isPossible) {
      // Apple's browsers alone have it.
      const { standalone } = navigator as { standalone?: boolean };
      return { permission: "unsupported", isSubscribed: false, needsHomeScreen: standalone === false };
    }
    const { permission } = Notification;
    const standing = await readStanding(setup);
    const isSubscribed =
      permission === "granted" && standing.consent && (await ownSubscription(standing)) !== null;
    return { permission, isSubscribed, needsHomeScreen: false };
  }

  /** The user whom this page shows, null for none; undefined where it never named one. Another page may have changed who stands. */
  let shownUser: string | null | undefined;
  const isOf = (id: string | null | undefined, { user }: BrowserStanding): boolean =>
    id === undefined || id === (user?.id ?? null);

  if (isPossible) renew().catch(onFault);

  return {
    state,
    async subscribe() {
      if (!isPossible) return state();
      const by = shownUser;
      const [permission, clicked] = await Promise.all([
        // Before anything is awaited, as the click is over by then.
        Notification.requestPermission(),
        exclusively("page", () => readStanding(setup)),
      ]);
      if (permission !== "granted") await change((standing) => standing);
      else if (isOf(by, clicked)) {
        const serverKey = await fetchServerKey();
        await exclusively("subscription", async () => {
          const active = await registered(worker);
          await check(active);
          await subscriptionWith(active, serverKey, () => true);
        });
        await change(async (standing) => {
          // The user who clicked agreed, and no other: they may have gone meanwhile. A visitor may have signed in.
          if (standing.gone !== clicked.gone) return standing;
          return {
            ...standing,
            consent: true,
            agreed: await agreedWith(standing.agreed, standing.user?.id, true),
            isRegistered: true,
            serverKey,
            visitedAt: Date.now(),
          };
        });
      }
      await putToken().catch(onFault);
      return state();
    },
    async unsubscribe() {
      if (!isPossible) return state();
      const by = shownUser;
      // Stored and reported first: what the browser does about it may fail, as it does offline.
      const { consent } = await change(async (standing) => {
        const { agreed, user } = standing;
        const isTheirs = isOf(by, standing);
        return {
          ...standing,
          consent: standing.consent && !isTheirs,
          agreed: await agreedWith(agreed, isTheirs ? user?.id : by, false),
        };
      });
      if (!consent)
        await exclusively("subscription", async () => {
          const standing = await readStanding(setup);
          if (!standing.isRegistered || standing.consent) return;
          await device().setToken(null);
          await (await ownSubscription(standing))?.unsubscribe();
        }).catch(onFault);
      return state();
    },
    async identify(userId, userHash) {
      if (!isPossible) return;
      shownUser = userId;
      const { consent } = await change((standing) => signIn(standing, userId, userHash));
      // Not waited for, as the push service may be slow.
      if (consent) putToken().catch(onFault);
    },
    async reset() {
      if (!isPossible) return;
      shownUser = null;
      await change((standing) =>
        standing.user === null
          ? standing
          : { ...standing, user: null, consent: false, gone: standing.gone + 1 },
      );
    },
    async track(event, props) {
      if (isPossible && (await readStanding(setup)).isRegistered) await device().track(event, props);
    },
  };
}
