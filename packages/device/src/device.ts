import { type Answer, call, type DeviceSecret, NO_ANSWER } from "./call.ts";
import { globalAfter, globalFetch, globalRandom } from "./globals.ts";
import { base64url } from "./ids.ts";
import { bytesOf, MOST_AT_ONCE, plan, type Request } from "./plan.ts";
import {
  type DeviceUser,
  enqueue,
  isFirst,
  newState,
  parseState,
  type Report,
  renumber,
  type State,
} from "./state.ts";
import { type Outcome, take } from "./take.ts";
import type { Device, DeviceOptions, Push } from "./types.ts";

const STATE = "tidings.device";
const SECRET = "tidings.secret";

/** How long an answer may take. One that comes later counts as lost. */
const ANSWER_WITHIN_MS = 30_000;
const FIRST_RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;
/** How often in a row a request may be decided anew before that counts as a failure. */
const MOST_MENDS = 8;
/** The most that the server takes of an event's props, bytes of JSON. A name is far shorter. */
const MOST_PROPS = 4_096;

function parseSecret(text: string | null): DeviceSecret | null {
  try {
    const secret = JSON.parse(text ?? "null") as DeviceSecret | null;
    return typeof secret?.id === "string" && typeof secret.capability === "string" ? secret : null;
  } catch {
    return null;
  }
}

function isFor({ id, known, user, pending }: State, push: Push): boolean {
  const generation = known?.bindingGeneration ?? 0;
  if (push.installationId !== id || push.bindingGeneration < generation) return false;
  // A newer one than the device knows: the answer to its binding was lost.
  const next = pending?.content as { userId?: string | null } | undefined;
  const bound = push.bindingGeneration > generation ? next?.userId : (known?.userId ?? null);
  // Where what the server confirmed was lost as well, it may be anyone's.
  return user === undefined ? known !== undefined : bound === (user?.userId ?? null);
}

/**
 * Opens the device that this copy of the app is. What an earlier run left unsent is sent; a copy that has said nothing yet stays unknown
 * until it does.
 */
export function openDevice(options: DeviceOptions): Device {
  const { storage, secrets = storage, random = globalRandom, after = globalAfter } = options;
  const { exclusively = (work) => work(), onFault = () => {} } = options;
  const line = { url: options.url, key: options.key, fetch: options.fetch ?? globalFetch };
  const newId = (): string => base64url(random(16));
  const refused = new Set<string>();
  const reported = new Set<string>();
  let secret: DeviceSecret | null = null;
  let most = MOST_AT_ONCE;
  let failures = 0;

  async function makeSecret(was?: string): Promise<DeviceSecret> {
    const made: DeviceSecret = { id: newId(), capability: base64url(random(32)), ...(was && { was }) };
    await secrets.set(SECRET, JSON.stringify(made));
    return made;
  }

  /** The state as it is stored. One that belongs to another installation was copied from another device, and is none. */
  async function load(text: string | null): Promise<State> {
    const state = parseState(text);
    if (secret === null || secret.id !== state?.id)
      secret = parseSecret(await secrets.get(SECRET)) ?? (await makeSecret());
    if (state !== null && state.id === secret.was) leave(state, secret.id);
    return state?.id === secret.id ? state : newState(secret.id);
  }

  /** Goes on as another installation: what the app wants stays, what the server confirmed does not. */
  function leave(state: State, id: string): void {
    for (const name of ["known", "isStale", "put", "pending"] as const) delete state[name];
    state.commands = state.commands.filter(({ generation }) => generation === undefined);
    state.id = id;
    renumber(state);
  }

  let turns: Promise<unknown> = Promise.resolve();

  /** Changes what is stored; one change after the other, also between contexts. */
  function change<Result>(edit: (state: State) => Result | Promise<Result>): Promise<Result> {
    const turn = turns.then(() =>
      exclusively(async () => {
        const text = await storage.get(STATE);
        const state = await load(text);
        const result = await edit(state);
        const next = JSON.stringify(state);
        if (next !== text) await storage.set(STATE, next);
        return result;
      }),
    );
    turns = turn.catch(() => {});
    return turn;
  }

  function report(message: string, status: number): void {
    if (reported.has(message)) return;
    reported.add(message);
    onFault(Object.assign(new Error(message), { status }));
  }

  function ask(request: Request, sender: DeviceSecret): Promise<Answer> {
    const { appId, platform, environment = "production" } = options;
    return new Promise((resolve) => {
      const isLate = after(ANSWER_WITHIN_MS, () => resolve(NO_ANSWER));
      const { id: installationId, capability } = sender;
      const about = { installationId, appId, platform, environment, capability };
      const whole = request.kind === "installation" ? { ...request, body: about } : request;
      call(line, sender, whole)
        .catch(() => NO_ANSWER)
        .then((answer) => {
          isLate();
          resolve(answer);
        });
    });
  }

  async function takeAnswer(
    state: State,
    sender: string,
    request: Request,
    answer: Answer,
  ): Promise<Outcome> {
    // Another context has moved on to another installation.
    if (state.id !== sender) return { kind: "go on" };
    const outcome = take(state, request, answer);
    if (outcome.kind === "another installation") {
      secret = await makeSecret(state.id);
      leave(state, secret.id);
    }
    return outcome;
  }

  /** Sends what waits. Answers after how many milliseconds to go on; null where nothing is left. */
  async function send(): Promise<number | null> {
    let mends = 0;
    for (;;) {
      const [request, sender] = await change((state) => [plan(state, refused, most, newId), secret] as const);
      if (request === null || sender === null) return null;
      const answer = await ask(request, sender);
      const outcome = await change((state) => takeAnswer(state, sender.id, request, answer));
      if (outcome.kind === "refused") {
        refused.add(request.key);
        report(answer.error ?? "The server keeps it otherwise", answer.status);
      } else if (outcome.kind === "fewer") most = outcome.most;
      else if (outcome.kind === "go on" && !outcome.isMend) {
        if (outcome.fault !== undefined) report(outcome.fault, answer.status);
        else if (request.kind === "observations") most = MOST_AT_ONCE;
        mends = 0;
        failures = 0;
      } else if (outcome.kind === "later" || ++mends > MOST_MENDS) return Math.max(answer.retryMs, backoff());
    }
  }

  const backoff = (): number =>
    Math.min(FIRST_RETRY_MS * 2 ** failures++, MAX_RETRY_MS) * (0.5 + Math.random() / 2);

  let running: Promise<void> | null = null;
  let isWanted = false;
  let stop: (() => void) | null = null;

  async function run(): Promise<void> {
    do {
      isWanted = false;
      // Where the storage fails, that is as if the server did not answer.
      const delay = await send().catch(backoff);
      if (delay !== null) {
        stop = after(delay, () => {
          stop = null;
          void start();
        });
        break;
      }
    } while (isWanted);
    running = null;
  }

  /** Sends, once at a time. */
  function start(): Promise<void> {
    isWanted = true;
    running ??= run();
    return running;
  }

  /** Stores what the app says, and sends it, unless the server is given time. */
  async function say(edit: (state: State) => void): Promise<void> {
    await change(edit);
    if (stop === null) void start();
  }

  /** Another user gives consent anew. A first one does not, since no other was named before. */
  function setUser(state: State, user: DeviceUser | null): void {
    if (state.user !== undefined && state.user?.userId !== user?.userId) state.consent = false;
    // What was reported before any user was named is of the first one.
    if (user === null) state.commands = state.commands.filter(({ by }) => by !== undefined);
    else for (const queued of state.commands) queued.by ??= user;
    state.user = user;
  }

  function addAboutPush(
    { installationId, bindingGeneration, ...push }: Push,
    kind: string,
    more: object = {},
  ): Promise<void> {
    const { targetId, attemptId } = push;
    return say((state) => {
      const { known, user } = state;
      const generation = known?.bindingGeneration ?? 0;
      if (installationId !== state.id || bindingGeneration < generation) return;
      if (!isFirst(state, [kind, attemptId, ...Object.values(more)].join(" "))) return;
      const report: Report = { id: newId(), kind, targetId, attemptId, ...more };
      const userId = bindingGeneration === generation ? known?.userId : undefined;
      const by = userId === undefined || userId === null ? (user ?? undefined) : { userId };
      // Before what waits for another user: it is of the binding that is in place.
      const other = state.commands.findIndex(
        (queued, index) =>
          index >= state.offered && queued.by !== undefined && queued.by.userId !== by?.userId,
      );
      enqueue(state, { report, by, generation: bindingGeneration }, other < 0 ? undefined : other);
    });
  }

  storage.get(STATE).then(
    (text) => {
      if (text !== null) void start();
    },
    () => {},
  );

  return {
    identify: (userId, userHash) => say((state) => setUser(state, { userId, userHash })),
    reset: () => say((state) => setUser(state, null)),
    setFacts: ({ permission, consent, capabilities }) =>
      say((state) => {
        state.permission = permission ?? state.permission;
        state.consent = consent ?? state.consent;
        state.capabilities = capabilities ?? state.capabilities;
      }),
    setToken: (token) =>
      say((state) => {
        state.token = token;
        state.isTokenGiven = true;
      }),
    active: () =>
      say((state) => {
        state.isActive = true;
      }),
    isFor: (push) => change((state) => isFor(state, push)),
    received: (push) => addAboutPush(push, "receipt"),
    opened: (push) => addAboutPush(push, "tap"),
    acted: (push, actionId) => addAboutPush(push, "action", { actionId }),
    track: async (event, props) => {
      // One that the server never takes would push out others that wait.
      if (Math.max(event.length, bytesOf(props ?? {})) > MOST_PROPS)
        return report(`props must be at most ${MOST_PROPS} bytes as JSON`, 400);
      await say((state) => {
        if (state.user === null) return;
        const id = newId();
        enqueue(state, { report: { id, kind: "event", event, eventId: id, props }, by: state.user });
      });
    },
    async sync() {
      while (running !== null) await running;
      stop?.();
      stop = null;
      refused.clear();
      most = MOST_AT_ONCE;
      await start();
      return change(({ known }) => known ?? null);
    },
  };
}
