import type { Capabilities, DeviceInstallation, Permission } from "./types.ts";

/** The user of the app, with the proof that your server made. */
export type DeviceUser = { userId: string; userHash?: string | undefined };

/** What is reported, as it is sent, but for its number: that follows from its place. */
export type Report = { id: string; kind: string } & Readonly<Record<string, unknown>>;

export type Queued = {
  report: Report;
  /** The user of whom it is reported; the next one, where none was named before. */
  by?: DeviceUser | undefined;
  /** The binding generation of the push that it is about. */
  generation?: number | undefined;
};

/** A change on its way: the same bytes again after an answer that was lost. */
export type Pending = {
  kind: ChangeKind;
  id: string;
  content: unknown;
  body: Readonly<Record<string, unknown>>;
};
export type ChangeKind = "installation" | "binding" | "facts" | "token" | "activity";

/** All that is stored: what the app wants, what the server confirmed, what it has yet to hear. */
export type State = {
  /** Id of the installation for which this is. */
  id: string;
  /** The installation as the server answered last. */
  known?: DeviceInstallation | undefined;
  /** Whether it has to be read again, or registered anew. */
  isStale?: boolean | undefined;
  /** The user that the app wants; null is no user, undefined was never said. */
  user?: DeviceUser | null | undefined;
  permission?: Permission | undefined;
  consent?: boolean | undefined;
  capabilities?: Capabilities | undefined;
  token?: string | null | undefined;
  /** The token was given, maybe again, since it was put last. */
  isTokenGiven?: boolean | undefined;
  /** The token that the server has under a token revision. */
  put?: { token: string | null; revision: number } | undefined;
  isActive?: boolean | undefined;
  pending?: Pending | undefined;
  /** The number of the first command that waits. */
  first: number;
  /** How many commands, from the first on, the server may have already: their places stay. */
  offered: number;
  commands: Queued[];
  /** Reports about pushes, by kind, attempt and button, oldest first: none is made twice. */
  reported: string[];
};

/** How many commands wait at most, and the characters of their JSON: Android reads no more than 2 MB at once. */
const MOST_COMMANDS = 1_000;
const MOST_TEXT = 500_000;
/** How many reports about pushes are remembered: as many as may wait. */
const MOST_REPORTED = MOST_COMMANDS;

export const newState = (id: string): State => ({ id, first: 1, offered: 0, commands: [], reported: [] });

/** What a text of the storage says; null where it is none, or was damaged. */
export function parseState(text: string | null): State | null {
  try {
    const state = JSON.parse(text ?? "null") as State | null;
    const { id, first, offered, commands, reported } = state ?? {};
    const isWhole =
      typeof id === "string" &&
      Number.isInteger(first) &&
      Number.isInteger(offered) &&
      Array.isArray(commands) &&
      commands.every((each) => typeof each?.report?.id === "string") &&
      Array.isArray(reported);
    return isWhole ? state : null;
  } catch {
    return null;
  }
}

/** Adds a command at a place, and drops the oldest event where there are too many, or else the oldest one. */
export function enqueue(state: State, queued: Queued, place = state.commands.length): void {
  const { commands } = state;
  commands.splice(place, 0, queued);
  while (commands.length > MOST_COMMANDS || JSON.stringify(commands).length > MOST_TEXT) {
    const event = commands.findIndex(
      ({ report }, index) => index >= state.offered && report.kind === "event",
    );
    // Where all may be on their way, none of them goes.
    if (commands.splice(event < 0 ? state.offered : event, 1).length === 0) return;
  }
}

/** Whether a report about a push is the first of its name. */
export function isFirst(state: State, name: string): boolean {
  if (state.reported.includes(name)) return false;
  state.reported = [...state.reported, name].slice(-MOST_REPORTED);
  return true;
}

/** The numbers of commands begin anew: with another binding, or another registration. */
export function renumber(state: State, first = 1): void {
  state.first = first;
  state.offered = 0;
}
