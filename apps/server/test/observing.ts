import assert from "node:assert/strict";
import { after } from "node:test";
import type { Answer, Input } from "@tidings/client";
import type { PushEnvelope } from "../src/features/content/push/payload.pure.ts";
import type { Device } from "./devices.ts";
import { type TestHouse, type TestProject, testHouse } from "./harness.ts";
import { type ApnsPeer, startApns } from "./peers/apns.ts";
import { launchPush, MESSAGE, putCredential, reachable } from "./push.ts";

type Body = Input<"recordObservations">["body"];
export type Command = Body["commands"][number];
/** What a command says beside its name and number. */
export type Reported =
  | { kind: "receipt" | "tap" }
  | { kind: "action"; actionId: string }
  | { kind: "event"; event: string; eventId?: string; props?: Record<string, unknown> };

/** A device that tells what became of a push, and counts what it tells. */
export type Observer = {
  /** The next command, as it would be sent. */
  next(reported: Reported): Command;
  /** Sends commands as they are. */
  send(commands: readonly Command[], given?: Partial<Body>): Promise<Answer<"recordObservations">>;
  /** Sends the next commands in one request. */
  tell(...reported: Reported[]): Promise<Answer<"recordObservations">>;
};

let events = 0;

/** Counts from 1, for the first user of the device where nothing else is given. */
export function observerOf(
  { sdk }: TestProject,
  { installationId, headers }: Device,
  push: Pick<PushEnvelope, "targetId" | "attemptId"> = { targetId: "none", attemptId: "none" },
  { bindingGeneration = 1, after = 0 } = {},
): Observer {
  let sequence = after;
  const { targetId, attemptId } = push;
  const next = (reported: Reported): Command => {
    sequence++;
    const named = { id: `command-${bindingGeneration}-${sequence}`, sequence };
    return reported.kind === "event"
      ? { eventId: `event-${events++}`, ...reported, ...named }
      : { ...reported, ...named, targetId, attemptId };
  };
  const send: Observer["send"] = (commands, given = {}) =>
    sdk.recordObservations({
      path: { installationId },
      headers,
      body: { bindingGeneration, commands: [...commands], ...given },
    });
  return { next, send, tell: (...reported) => send(reported.map(next)) };
}

export const BOUGHT = "bought";
export const ACTIONS = [{ id: "open", title: "Open" }];
export const RECEIPT: Reported = { kind: "receipt" };
export const TAP: Reported = { kind: "tap" };
export const ACTION: Reported = { kind: "action", actionId: "open" };
export const BUY: Reported = { kind: "event", event: BOUGHT };

/** A push that is on the one device of the one user, of which the device has reported nothing yet. */
export type Scene = {
  project: TestProject;
  campaignId: string;
  device: Device & { token: string };
  push: PushEnvelope;
  observer: Observer;
};

export type Became = Record<"sent" | "delivered" | "opened" | "clicked" | "converted", number>;
export const NOTHING: Became = { sent: 1, delivered: 0, opened: 0, clicked: 0, converted: 0 };

/** What became of a campaign's deliveries, by its own counters. */
export async function becameOf({
  project,
  campaignId,
}: Pick<Scene, "project" | "campaignId">): Promise<Became> {
  const { campaign } = await project.api.getCampaign({ path: { id: campaignId } });
  const { sent, delivered, opened, clicked, converted } = campaign.stats;
  return { sent, delivered, opened, clicked, converted };
}

type Stage = {
  house: TestHouse;
  apns: ApnsPeer;
  /** What was pushed to a device last. */
  pushTo(token: string): PushEnvelope;
  /** A campaign for buyers, with whatever is given on top, whose push has left. */
  scene(body?: Parameters<typeof launchPush>[1]): Promise<Scene>;
};

/** A house whose pushes go to an APNs of its own. Call at the top of a file. */
export async function observingStage(): Promise<Stage> {
  const apns = await startApns({ clock: () => house.now() });
  // Requests queue at a row in the order in which they were sent: none may give up waiting.
  const house = testHouse({ apnsUrl: apns.url }, 60_000);
  after(() => apns.close());
  const pushTo = (token: string): PushEnvelope => {
    const push = apns.taken.findLast((taken) => taken.token === token)?.payload.tidings;
    assert.ok(push, "nothing was sent");
    return push;
  };
  return {
    house,
    apns,
    pushTo,
    async scene(body = {}) {
      const project = await house.project();
      await putCredential(project, apns.credential);
      const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: BOUGHT } });
      const device = await reachable(project, "ada");
      const message = { ...MESSAGE, actions: ACTIONS };
      const { id: campaignId } = await launchPush(project, { goalId: goal.id, message, ...body });
      await house.drain();
      const push = pushTo(device.token);
      return { project, campaignId, device, push, observer: observerOf(project, device, push) };
    },
  };
}
