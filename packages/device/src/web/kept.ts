import { type Device, openDevice, type Store } from "../index.ts";

/** What the page was opened with: the worker runs without the page, and reads it here. */
export type PushSetup = {
  url: string;
  key: string;
  appId: string;
  environment: "production" | "development";
  /** Absolute address of the picture beside each notification. */
  icon?: string | undefined;
  /** Where the site begins: what opens where a push leads to no page. */
  home: string;
};

/** How this browser stands to an app in an environment. */
export type BrowserStanding = {
  /** The user of the page, as `identify` gave it. */
  user: { id: string; hash?: string | undefined } | null;
  /** Whether that user agreed to be sent pushes in this browser. */
  consent: boolean;
  /** Digests of the users who agreed in this browser, the latest at the end. */
  agreed: readonly string[];
  /** Whether the server knows this browser, which it does from the first subscription on. */
  isRegistered: boolean;
  /** The project's key that was subscribed with, base64url. */
  serverKey: string | null;
  /** When the server last learned that the browser is in use, epoch milliseconds. */
  visitedAt: number;
  /** How many users have gone from here: what one agreed to is not the next one's. */
  gone: number;
};

/** An app of a project, which a browser may know several of over time. */
type App = Pick<PushSetup, "appId" | "environment">;

const DATABASE = "tidings-push";
const TABLE = "kept";

let opened: Promise<IDBDatabase> | null = null;

const open = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const { result } = request;
      // Browsers close it when they clear the site's data, or put a page to sleep.
      result.onclose = () => {
        opened = null;
      };
      // The site deletes it, which waits for all that have it open.
      result.onversionchange = () => {
        opened = null;
        result.close();
      };
      resolve(result);
    };
  });

async function run<T>(mode: IDBTransactionMode, work: (table: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  opened ??= open().catch((fault) => {
    opened = null;
    throw fault;
  });
  const transaction = (await opened).transaction(TABLE, mode);
  return new Promise((resolve, reject) => {
    const request = work(transaction.objectStore(TABLE));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

const get = <T>(key: string): Promise<T | undefined> =>
  run("readonly", (table) => table.get(key) as IDBRequest<T | undefined>);
const set = async (key: string, value: unknown): Promise<void> => {
  await run("readwrite", (table) => table.put(value, key));
};

const queues = new Map<string, Promise<unknown>>();

/** One piece of work of this name at a time, in all pages and the worker; in this one alone where the browser has no Web Locks. */
export function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  // Its type says that there are locks; older browsers have none.
  const locks = navigator.locks as LockManager | undefined;
  if (locks !== undefined) return locks.request(`${DATABASE} ${name}`, work) as Promise<T>;
  const done = (queues.get(name) ?? Promise.resolve()).then(work, work);
  queues.set(name, done);
  return done;
}

const prefixOf = ({ appId, environment }: App): string => `${environment} ${appId} `;

const setupsOf = (scope: string): string => `setup ${scope} `;

/** What the pages of a worker's scope were opened with last, one for each app. An origin may have several scopes, and they several apps. */
export const readSetups = (scope: string): Promise<PushSetup[]> => {
  const first = setupsOf(scope);
  return run("readonly", (table) => table.getAll(IDBKeyRange.bound(first, `${first}\uffff`)));
};
export const keepSetup = (scope: string, setup: PushSetup): Promise<void> =>
  set(setupsOf(scope) + prefixOf(setup), setup);

export const readStanding = async (app: App): Promise<BrowserStanding> => ({
  user: null,
  consent: false,
  agreed: [],
  isRegistered: false,
  serverKey: null,
  visitedAt: 0,
  gone: 0,
  ...(await get<BrowserStanding>(`${prefixOf(app)}page`)),
});
export const keepStanding = (app: App, standing: BrowserStanding): Promise<void> =>
  set(`${prefixOf(app)}page`, standing);

function storeOf(app: App): Store {
  const prefix = `${prefixOf(app)}device `;
  return {
    get: async (key) => (await get<string>(prefix + key)) ?? null,
    set: (key, value) => set(prefix + key, value),
  };
}

/** The device that this browser is to the server, the same one for all pages and the worker. */
export const deviceOf = (
  { icon: _, home: __, ...setup }: PushSetup,
  onFault: (fault: Error) => void,
): Device =>
  openDevice({
    ...setup,
    platform: "web",
    storage: storeOf(setup),
    exclusively: (work) => exclusively("device", work),
    onFault,
  });

/** The project's key that a subscription was made with, base64url; null where the browser does not say. */
export function serverKeyOf({ options }: PushSubscription): string | null {
  const key = options.applicationServerKey;
  return key === null
    ? null
    : btoa(String.fromCharCode(...new Uint8Array(key)))
        .replaceAll("+", "-")
        .replaceAll("/", "_")
        .replaceAll("=", "");
}

/** A subscription as the server takes it for a token. */
export function tokenOf(subscription: PushSubscription, serverKey: string): string {
  const { endpoint, keys = {} } = subscription.toJSON();
  const { p256dh, auth } = keys;
  return JSON.stringify({
    endpoint,
    keys: { p256dh, auth },
    applicationServerKey: serverKeyOf(subscription) ?? serverKey,
  });
}

/** What the browser says of notifications, in the server's words. */
export const permissionNow = (): "granted" | "denied" | "not_determined" => {
  const { permission } = Notification;
  return permission === "default" ? "not_determined" : permission;
};
