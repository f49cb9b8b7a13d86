/** What the system lets the app show. */
export type Permission = "unknown" | "not_determined" | "denied" | "provisional" | "granted";

/** What this build of the app can show of a notification. */
export type Capabilities = {
  /** Ids of the buttons that the app handles. */
  actions: string[];
  /** Its notification channels (Android). */
  channels: string[];
  richImages: boolean;
  /** Its notification categories with their buttons, in order (iOS). */
  categories?: { id: string; actions: { id: string; title: string }[] }[] | undefined;
};

/** A copy of the app on a device, as the server knows it. Times are epoch milliseconds. */
export type DeviceInstallation = {
  id: string;
  appId: string;
  platform: "ios" | "android" | "web";
  environment: "production" | "development";
  userId: string | null;
  bindingGeneration: number;
  revision: number;
  tokenRevision: number;
  hasToken: boolean;
  permission: Permission;
  consent: boolean;
  capabilities: Capabilities;
  lastActiveAt: number | null;
  createdAt: number;
};

/** What a push shows, filled in for its user. */
export type PushContent = {
  title: string;
  body: string;
  destination: { kind: "website" | "app"; url: string };
  data?: Record<string, string> | undefined;
  image?: string | undefined;
  actions?: { id: string; title: string }[] | undefined;
  ios?:
    | {
        subtitle?: string | undefined;
        sound?: string | undefined;
        badge?: number | undefined;
        categoryId?: string | undefined;
      }
    | undefined;
  android?: { channelId: string; sound?: string | undefined } | undefined;
};

/** Our part of a push. */
export type Push = {
  version: 1;
  targetId: string;
  attemptId: string;
  installationId: string;
  bindingGeneration: number;
  content: PushContent;
  test: boolean;
};

/** Texts by key, which survive a restart of the app. Keys are made of letters and dots. `get` answers null where there is none. */
export type Store = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
};

/** The part of `fetch` that is used. */
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string; credentials: "omit" },
) => Promise<{
  status: number;
  headers: { get(name: string): string | null };
  json(): Promise<unknown>;
}>;

/** How a device is opened. */
export type DeviceOptions = {
  /** Address of the Tidings server. */
  url: string;
  /** Publishable key of the project (`pk_pub_…`). */
  key: string;
  /** Bundle id or package name; the origin of a web app. */
  appId: string;
  platform: "ios" | "android" | "web";
  /** That of the push provider: `development` for builds that run from Xcode. `production` when not given. */
  environment?: "production" | "development" | undefined;
  /** What survives a restart. */
  storage: Store;
  /** Where secrets are kept (Keychain, Keystore): the id of the installation and its capability. `storage` when not given. */
  secrets?: Store | undefined;
  /** In place of the global `fetch`. */
  fetch?: Fetch | undefined;
  /** Random bytes, in place of `crypto.getRandomValues`. */
  random?: ((bytes: number) => Uint8Array) | undefined;
  /** Runs work after a time, in place of `setTimeout`; answers how to call it off. */
  after?: ((ms: number, work: () => void) => () => void) | undefined;
  /** Runs work while no other context does that shares the storage (Web Locks). Needed where there are several contexts. */
  exclusively?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
  /** What the server refused for good, once in the life of this object: a wrong key, a user without proof, an event with a long name. */
  onFault?: ((fault: Error) => void) | undefined;
};

/**
 * A device as the app speaks of it. Each call resolves once what it says is stored, and sends it soon after; it rejects only where the
 * storage fails, or `props` are no JSON. What is said before the server has it, and what became of it, survives restarts.
 */
export type Device = {
  /**
   * Says who uses the app, by your own id. Of another user than before, consent is no longer given, until `setFacts` says it again.
   * @param userHash the proof, where the project or the user needs one
   */
  identify(userId: string, userHash?: string): Promise<void>;
  /** Says that the app has no user now. Consent is no longer given, and events are dropped until the next `identify`. */
  reset(): Promise<void>;
  /** Says what may be sent; what is left out stays as it was. */
  setFacts(facts: {
    permission?: Permission | undefined;
    consent?: boolean | undefined;
    capabilities?: Capabilities | undefined;
  }): Promise<void>;
  /** The token that APNs, FCM or the browser gave; null removes it. Call it at every start. */
  setToken(token: string | null): Promise<void>;
  /** The app was opened. Not for work in the background. */
  active(): Promise<void>;
  /** Whether a push is for the user whom the app named last, on this device. One for another user should not be shown. */
  isFor(push: Push): Promise<boolean>;
  /** The push arrived. Of one attempt that is reported once. */
  received(push: Push): Promise<void>;
  /** The push was opened. Of one attempt that is reported once. */
  opened(push: Push): Promise<void>;
  /** A button of the push was used. */
  acted(push: Push, actionId: string): Promise<void>;
  /**
   * The user did something. At most 1,000 reports (500,000 characters of JSON) wait for the server: of more, the oldest events are dropped, and what became of pushes
   * only where no event is left.
   * @param props a JSON object of at most 4096 bytes; an event with more is left out, which `onFault` is given
   */
  track(event: string, props?: Record<string, unknown>): Promise<void>;
  /**
   * Sends what waits, now, also what was refused before. Resolves when all is sent, or nothing more can be now.
   * @returns the installation as the server answered last; null where it never did
   */
  sync(): Promise<DeviceInstallation | null>;
};
