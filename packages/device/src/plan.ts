import type { ChangeKind, DeviceUser, Queued, Report, State } from "./state.ts";
import type { DeviceInstallation } from "./types.ts";

/** A request to send. `key` names what it wants, so that what was refused for good is not sent again. */
export type Request = { key: string; id: string; body: Readonly<Record<string, unknown>> } & (
  | { kind: ChangeKind }
  | { kind: "observations"; reports: readonly Report[] }
);

/** What the server takes in one request: commands, and bytes with room for what surrounds them. */
export const MOST_AT_ONCE = 32;
const MOST_BYTES = 65_000;

/** JSON with sorted keys: two values that mean the same are the same text. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

const idOf = (person: DeviceUser | null | undefined): string | undefined => person?.userId;

/** The user of a command. Of the user that the app wants, the proof that it gave last counts. */
const personOf = ({ user }: State, { by }: Queued): DeviceUser | null | undefined =>
  by === undefined || by.userId === idOf(user) ? user : by;

/** What the device wants to be known of what may be sent. Without a word on its user, consent is left alone. */
function factsOf({ user, permission, consent, capabilities }: State, known: DeviceInstallation) {
  return {
    permission: permission ?? known.permission,
    consent: (user === undefined ? undefined : consent) ?? known.consent,
    capabilities: capabilities ?? known.capabilities,
  };
}

function needsToken({ token, put, isTokenGiven }: State, known: DeviceInstallation): boolean {
  if (token === undefined) return false;
  const isPut = put?.token === token && put.revision === known.tokenRevision;
  // It was taken by another device, or ended, and the app gave it again.
  return !isPut || (isTokenGiven === true && known.hasToken !== (token !== null));
}

/** The key of each request of reports: refused for one, they all wait. */
const REPORTS = "observations{}";

type Due = readonly [kind: ChangeKind | "observations", content: Readonly<Record<string, unknown>>];

/** What the server has yet to hear, in order. What waits for an earlier user is reported before another one is bound. */
function duesOf(state: State, person: DeviceUser | null | undefined): Due[] {
  const { known, user, token } = state;
  if (known === undefined || state.isStale) return [["installation", {}]];
  if (person !== undefined && (idOf(person) ?? null) !== known.userId)
    return [["binding", { userId: null, ...person }]];
  const dues: Due[] = [];
  if (idOf(person) === idOf(user)) {
    const facts = factsOf(state, known);
    if (canonical({ ...known, ...facts }) !== canonical(known)) dues.push(["facts", facts]);
    if (needsToken(state, known)) dues.push(["token", { token }]);
    if (state.isActive) dues.push(["activity", {}]);
  }
  if (state.commands.length > 0 && known.userId !== null) dues.push(["observations", {}]);
  return dues;
}

/** Bytes of a value as JSON. */
export const bytesOf = (value: unknown): number =>
  encodeURIComponent(JSON.stringify(value)).replace(/%../g, "x").length;

const isOther = (state: State, queued: Queued, { userId }: DeviceInstallation): boolean =>
  (idOf(personOf(state, queued)) ?? userId) !== userId;

/** Drops the commands about pushes of a binding that is over. */
function dropOver(state: State): void {
  const { known } = state;
  if (known === undefined || state.isStale) return;
  const { bindingGeneration } = known;
  state.commands = state.commands.filter(
    (queued) =>
      queued.generation === undefined ||
      queued.generation === bindingGeneration ||
      (queued.generation > bindingGeneration && isOther(state, queued, known)),
  );
}

/** The commands to send now, all of one user. */
function observations(state: State, known: DeviceInstallation, most: number): Request | null {
  const reports: Report[] = [];
  let bytes = 0;
  for (const queued of state.commands.slice(0, most)) {
    const report = { ...queued.report, sequence: state.first + reports.length };
    bytes += bytesOf(report) + 1;
    if (isOther(state, queued, known) || (bytes > MOST_BYTES && reports.length > 0)) break;
    reports.push(report);
  }
  if (reports.length === 0) return null;
  state.offered = Math.max(state.offered, reports.length);
  const body = { bindingGeneration: known.bindingGeneration, commands: reports };
  return { kind: "observations", key: REPORTS, id: "", body, reports };
}

/** What every change says of the state for which it is meant. */
function guardsOf({ bindingGeneration, revision, tokenRevision }: DeviceInstallation, kind: string) {
  return { bindingGeneration, revision, ...(kind === "token" && { tokenRevision }) };
}

/**
 * The next request; null where nothing is left to send. What it decides is in `state`, to be stored before it is sent.
 * @param refused keys of requests that were refused for good
 * @param most commands at once
 */
export function plan(
  state: State,
  refused: ReadonlySet<string>,
  most: number,
  newId: () => string,
): Request | null {
  dropOver(state);
  const [head] = state.commands;
  const person = head === undefined ? state.user : personOf(state, head);
  const keyOf = ([kind, content]: Due): string => kind + JSON.stringify(content);
  const dues = duesOf(state, person);
  const { known, pending } = state;
  let due = dues.find((each) => !refused.has(keyOf(each)));
  if (due === undefined) {
    if (dues[0]?.[0] !== "binding") return null;
    if (person !== state.user) {
      // An earlier user whom the server does not take: what was reported of them has no place.
      state.commands = state.commands.filter((queued) => idOf(personOf(state, queued)) !== idOf(person));
      return plan(state, refused, most, newId);
    }
    // Whom the server does not take is still not the user before, who needs no proof to go.
    due = ["binding", { userId: null }];
    if (known?.userId === null || refused.has(keyOf(due))) return null;
  }
  const [kind, content] = due;
  if (
    pending !== undefined &&
    kind !== "installation" &&
    canonical([pending.kind, pending.content]) !== canonical(due)
  ) {
    // The app wants something else by now, and the server may have done it: that is read before anything else.
    delete state.pending;
    state.isStale = true;
    return plan(state, refused, most, newId);
  }
  if (kind === "observations") return known === undefined ? null : observations(state, known, most);
  if (pending?.kind !== kind) {
    const id = newId();
    const guards =
      known === undefined || kind === "installation" ? {} : { requestId: id, ...guardsOf(known, kind) };
    state.pending = { kind, id, content, body: { ...guards, ...content } };
  }
  const { id, body } = state.pending ?? { id: "", body: {} };
  return { kind, key: keyOf(due), id, body };
}
