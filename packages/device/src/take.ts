import type { Answer } from "./call.ts";
import { canonical, type Request } from "./plan.ts";
import { type Pending, renumber, type State } from "./state.ts";
import type { DeviceInstallation } from "./types.ts";

/** What an answer means for what is sent next. */
export type Outcome =
  /** `isMend`: nothing was done, but the next request differs. */
  | { kind: "go on"; isMend?: boolean; fault?: string }
  /** Another id is needed: this one is another's. */
  | { kind: "another installation" }
  /** Fewer commands are to be sent at once. */
  | { kind: "fewer"; most: number }
  /** The same again, later. */
  | { kind: "later" }
  /** Not again. */
  | { kind: "refused" };

/** A number that no command has, so that the server says which one comes next. It is refused whatever it is about. */
const FAR_AHEAD = 2 ** 52;

const GO_ON: Outcome = { kind: "go on" };
const MENDED: Outcome = { kind: "go on", isMend: true };

/** Takes an installation as the server answered it. Another binding or registration numbers commands anew. */
function learn(state: State, installation: DeviceInstallation): void {
  const { known } = state;
  // The instant alone may be the same: the revision of one that goes on never falls.
  const isNew = known?.createdAt !== installation.createdAt || installation.revision < known.revision;
  if (isNew || known.bindingGeneration !== installation.bindingGeneration) renumber(state);
  if (known !== undefined && isNew) {
    // Registered anew: nothing of what was sent to it before is known any more.
    state.commands = state.commands.filter(({ generation }) => generation === undefined);
    delete state.put;
  }
  state.known = installation;
  delete state.isStale;
}

/** Whether the server answered something else than was put. */
const isOtherwise = ({ content }: Pending, installation: DeviceInstallation): boolean =>
  canonical({ ...installation, ...pick(content, installation) }) !== canonical(installation);

/** The fields of what was put that an installation has as well. */
const pick = (content: unknown, installation: DeviceInstallation) =>
  Object.fromEntries(Object.entries(content as object).filter(([name]) => name in installation));

/** Whether the same request may be taken later: nothing was decided, or no answer is the server's own. */
const isLater = ({ status, error }: Answer): boolean =>
  error === undefined || status >= 500 || [408, 421, 425, 429].includes(status);

function takeChange(state: State, request: Request, answer: Answer): Outcome {
  const { status, body } = answer;
  const { installation } = body as { installation?: DeviceInstallation };
  const { pending } = state;
  // Another context had the answer first.
  if (pending?.id !== request.id) return GO_ON;
  if (status === 200 && installation !== undefined) {
    learn(state, installation);
    if (request.kind === "token") {
      state.put = { token: pending.body.token as string | null, revision: installation.tokenRevision };
      delete state.isTokenGiven;
    }
    if (request.kind === "activity") delete state.isActive;
    delete state.pending;
    // What the server keeps otherwise than it was put is not put again and again.
    if (request.kind === "facts" && isOtherwise(pending, installation)) return { kind: "refused" };
    return request.kind === "installation" || isOtherwise(pending, installation) ? MENDED : GO_ON;
  }
  if (isLater(answer)) return { kind: "later" };
  delete state.pending;
  if (request.kind === "installation" && status === 409) return { kind: "another installation" };
  if (request.kind === "installation" || (status !== 404 && status !== 409)) return { kind: "refused" };
  state.isStale = true;
  return MENDED;
}

type Observations = Extract<Request, { kind: "observations" }>;

/** Removes commands that the server has, wherever another context has come to. */
function acknowledge(state: State, ids: ReadonlySet<string>, through: number): void {
  state.commands = state.commands.filter(({ report }) => !ids.has(report.id));
  state.first = Math.max(state.first, through + 1);
  state.offered = Math.max(0, state.offered - ids.size);
}

function drop(state: State, index: number): void {
  state.commands.splice(index, 1);
  state.offered = 0;
}

/** A refusal that says which command is at fault, and why. */
function takeFault(state: State, { reports }: Observations, { status, error = "" }: Answer): Outcome {
  const [, place, why = ""] = /^commands\[(\d+)\](.*)/s.exec(error) ?? [];
  const index = Number(place ?? 0);
  if (status === 409 && why !== "") {
    const [, next] = /^\.sequence must be (\d+)/.exec(why) ?? [];
    if (next !== undefined) {
      renumber(state, Number(next) - index);
      return MENDED;
    }
    if (why.includes("not what was reported")) {
      // The server has those before it. After these it has others, from before the storage was lost.
      state.commands.splice(0, index);
      renumber(state, FAR_AHEAD);
      return MENDED;
    }
    if (why.startsWith(".id was used")) {
      // It has that one, under an earlier number.
      drop(state, index);
      return GO_ON;
    }
  }
  // Which one it is shows when each is sent by itself.
  if (place === undefined && reports.length > 1)
    return { kind: "fewer", most: status === 413 ? Math.ceil(reports.length / 2) : 1 };
  drop(state, index);
  return { kind: "go on", fault: error };
}

function takeObservations(state: State, request: Observations, answer: Answer): Outcome {
  const { status, body, error = "" } = answer;
  const { reports } = request;
  const { known, first, commands } = state;
  const isSameBinding = known?.bindingGeneration === request.body.bindingGeneration;
  const { acknowledgedThrough } = body as { acknowledgedThrough?: number };
  if (status === 200 && acknowledgedThrough !== undefined) {
    if (isSameBinding) acknowledge(state, new Set(reports.map(({ id }) => id)), acknowledgedThrough);
    return GO_ON;
  }
  if (isLater(answer)) return { kind: "later" };
  // What is refused for another reason than a command is kept.
  const isOfCommand = status === 400 || status === 413 || error.startsWith("commands[");
  const isStale = status === 404 || (status === 409 && !isOfCommand);
  if (!isOfCommand && !isStale) return { kind: "refused" };
  const isAsSent =
    isSameBinding &&
    first === reports[0]?.sequence &&
    reports.every(({ id }, index) => commands[index]?.report.id === id);
  // Another context has mended it.
  if (!isAsSent) return MENDED;
  if (!isStale) return takeFault(state, request, answer);
  state.isStale = true;
  return MENDED;
}

/** What becomes of the state by the answer to a request. */
export function take(state: State, request: Request, answer: Answer): Outcome {
  return request.kind === "observations"
    ? takeObservations(state, request, answer)
    : takeChange(state, request, answer);
}
