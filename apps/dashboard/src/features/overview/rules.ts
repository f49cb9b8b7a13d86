import type { Answer } from "@tidings/client";
import { numberOf } from "../../platform/figures.ts";
import { timeOf } from "../../platform/times.ts";
import { guardrailAmount, guardrailName } from "../../ui/guardrails/names.ts";
import { words } from "./words.ts";

export type Waiting = Answer<"getWaiting">;
export type ProjectMetrics = Answer<"getMetrics">;
export type ResultDays = Answer<"getResultDays">;

/** The figures of a day, and of all days together. Those of results take longer to count, and are null until they are known. */
export type Figures = { events: number; reached: number | null; converted: number | null };
export type Day = Figures & { startAt: number };

/** Both reports as one, by day. At midnight one of them may have a day that the other does not have yet. */
export function reportDays(
  metrics: ProjectMetrics,
  results: ResultDays | null,
): { days: Day[]; totals: Figures } {
  const byStart = new Map(results?.days.map((day) => [day.startAt, day]));
  return {
    days: metrics.days.map(({ startAt, events }) => {
      const { reached = null, converted = null } = byStart.get(startAt) ?? {};
      return { startAt, events, reached, converted };
    }),
    totals: {
      events: metrics.totals.events,
      reached: results?.totals.reached ?? null,
      converted: results?.totals.converted ?? null,
    },
  };
}

/** The server counts up to so many of one kind. */
const MOST_COUNTED = 1_000;

/** Something that waits for people: what it is, and the page of the project where it is decided. */
export type WaitingLine = {
  id: string;
  kind: keyof typeof words.kinds;
  text: string;
  path: string;
  search?: Readonly<Record<string, string>>;
};

function servingLines({ serving, emailServing }: Waiting): WaitingLine[] {
  const text =
    serving === "payment_required"
      ? words.paymentRequired
      : serving === "cap_reached"
        ? words.capReached
        : emailServing === "paused"
          ? words.emailPaused
          : null;
  return text === null ? [] : [{ id: "serving", kind: "serving", text, path: "usage" }];
}

/** The lines of one kind, and one more where there are more than were named. */
function linesOfKind<Item>(
  kind: WaitingLine["kind"],
  { count, items }: { count: number; items: readonly Item[] },
  lineOf: (item: Item) => Pick<WaitingLine, "id" | "text" | "path">,
  listPath: string,
): WaitingLine[] {
  const lines = items.map((item): WaitingLine => ({ kind, ...lineOf(item) }));
  const rest = count - items.length;
  if (rest <= 0) return lines;
  return [...lines, { id: "more", kind, text: words.more(numberOf(rest)), path: listPath }];
}

const unknownLine = (count: number): WaitingLine[] => {
  if (count === 0) return [];
  return [
    {
      id: "unknown",
      kind: "unknown",
      text: words.unknown(count, count >= MOST_COUNTED),
      path: "email",
      search: { view: "unknown" },
    },
  ];
};

/** The line where no process or program takes up what agents should. One line for all of it: what is missing is the same. */
function unattendedLine({ unattended }: Waiting): WaitingLine[] {
  if (unattended === null) return [];
  const { campaignName, since, isApproved, count, hasPolicy } = unattended;
  const { approved, due, more, because } = words.unattended;
  const parts = [
    (isApproved ? approved : due)(campaignName, timeOf(since)),
    count > 1 ? more(numberOf(count - 1)) : "",
    because[hasPolicy ? "process" : "program"],
  ];
  return [{ id: "unattended", kind: "unattended", text: parts.join(""), path: "agent" }];
}

/** What waits for people as lines, what stops messages first. */
export function waitingLines(waiting: Waiting): WaitingLine[] {
  const { faults, breaches, splits, sources, webhooks, syncs, unknownMails, proposals, approvals, drafts } =
    waiting;
  const campaignLine = (id: string): Pick<WaitingLine, "id" | "path"> => ({ id, path: `campaigns/${id}` });
  return [
    ...servingLines(waiting),
    ...linesOfKind(
      "fault",
      faults,
      ({ campaignId, campaignName, fault, since }) => ({
        ...campaignLine(campaignId),
        text: words.fault(campaignName, fault, timeOf(since)),
      }),
      "campaigns",
    ),
    ...linesOfKind(
      "breach",
      breaches,
      ({ campaignId, campaignName, guardrail, observed, limit }) => ({
        id: campaignId,
        path: "approvals",
        text: words.breach(
          campaignName,
          guardrailName(guardrail),
          guardrailAmount(guardrail, observed),
          guardrailAmount(guardrail, limit),
        ),
      }),
      "approvals",
    ),
    ...linesOfKind(
      "takenBack",
      waiting.takenBack,
      ({ campaignId, campaignName, reason, mappingLabel, since }) => ({
        id: campaignId,
        path: `approvals/campaigns/${campaignId}`,
        text: words.takenBack[reason](campaignName, mappingLabel, timeOf(since)),
      }),
      "sources",
    ),
    ...linesOfKind(
      "split",
      splits,
      ({ campaignId, campaignName }) => ({ ...campaignLine(campaignId), text: words.split(campaignName) }),
      "campaigns",
    ),
    ...linesOfKind(
      "source",
      sources,
      ({ id, reason }) => ({
        id,
        path: `sources/${encodeURIComponent(id)}`,
        text: words.source(id, reason),
      }),
      "sources",
    ),
    ...linesOfKind(
      "webhook",
      webhooks,
      ({ id, name, offBecause, since }) => ({
        id,
        path: `webhooks/${id}`,
        text: words.webhook(name, words.webhookFaults[offBecause], timeOf(since)),
      }),
      "webhooks",
    ),
    ...linesOfKind(
      "sync",
      syncs,
      ({ id, name, fault, since }) => ({
        id,
        path: `syncs/${id}`,
        text: words.sync(name, fault, timeOf(since)),
      }),
      "syncs",
    ),
    ...unknownLine(unknownMails),
    ...unattendedLine(waiting),
    ...linesOfKind(
      "proposal",
      proposals,
      ({ id, campaignName, expiresAt }) => ({
        id,
        path: `approvals/${id}`,
        text: words.proposal(campaignName, timeOf(expiresAt)),
      }),
      "approvals",
    ),
    ...linesOfKind(
      "approval",
      approvals,
      ({ campaignId, campaignName }) => ({
        id: campaignId,
        path: `approvals/campaigns/${campaignId}`,
        text: words.approval(campaignName),
      }),
      "approvals",
    ),
    ...linesOfKind(
      "draft",
      drafts,
      ({ campaignId, campaignName }) => ({ ...campaignLine(campaignId), text: words.draft(campaignName) }),
      "campaigns",
    ),
  ];
}

/** A bar of a chart, in pixels from its top left corner. */
export type Bar = { at: number; x: number; y: number; height: number };

/** The gap between two bars, as a part of the room of each. */
const GAP = 0.25;
/** A day with anything is seen, however little it is. */
const LEAST = 2;

/** Lays out a bar for each day, over a width and a height in pixels; days without anything have none. */
export function barsOf(
  days: readonly { startAt: number; value: number }[],
  width: number,
  height: number,
): { bars: Bar[]; thickness: number } {
  const most = Math.max(1, ...days.map(({ value }) => value));
  const room = days.length === 0 ? width : width / days.length;
  const bars = days.flatMap(({ startAt, value }, place) => {
    if (value === 0) return [];
    const tall = Math.max(LEAST, (value / most) * height);
    return [{ at: startAt, x: place * room, y: height - tall, height: tall }];
  });
  return { bars, thickness: room * (1 - GAP) };
}
