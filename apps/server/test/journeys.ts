import assert from "node:assert/strict";
import { after } from "node:test";
import type { Answer, Input } from "@tidings/client";
import { people, sendingProject } from "./email.ts";
import { refusal, type TestHouse, type TestProject } from "./harness.ts";
import { startSmtp } from "./peers/smtp.ts";

/** A journey in which a user came past a split, a condition and a mail that is queued or was skipped, and one who left it. */
export async function travelled(
  house: TestHouse,
  { api }: TestProject,
  { userId, leaverId }: { userId: string; leaverId: string },
): Promise<void> {
  const { journey } = await api.createJourney({
    body: {
      name: "Trial",
      entry: { on: "event", event: "trial_started" },
      exit: { onGoal: true, events: [{ event: "subscribed" }] },
      steps: [
        {
          id: "paths",
          kind: "split",
          arms: [
            { name: "A", to: "all" },
            { name: "B", weight: 2, to: "all" },
          ],
        },
        { id: "all", kind: "if", audience: { kind: "all" }, else: "end" },
        { id: "welcome", kind: "send", channel: "email", message: { subject: "Welcome", body: "Hello." } },
        { id: "pause", kind: "wait", for: { amount: 90, unit: "days" } },
      ],
    },
  });
  const path = { id: journey.id };
  await api.setJourneyStatus({ path, body: { action: "launch" } });
  await api.addJourneyEntries({ path, body: { userIds: [userId, leaverId] } });
  await house.drain();
  await api.removeJourneyEntry({ path, body: { userId: leaverId } });
}

type Body = Input<"createJourney">["body"];

/** A step that sends a mail, whose subject is its id. */
export const mail = (id: string) =>
  ({ id, kind: "send", channel: "email", message: { subject: id, body: `This is ${id}.` } }) as const;

/** A step at which users wait for so long. */
export const wait = (id: string, amount: number, unit: "minutes" | "hours" | "days") =>
  ({ id, kind: "wait", for: { amount, unit } }) as const;

/** What a refusal with 409 says. */
export async function conflict(call: Promise<unknown>) {
  const { status, body } = await refusal(call);
  assert.equal(status, 409);
  return body as { reason: string; steps?: unknown; version?: number };
}

let projects = 0;

/** What tests of journeys do in a house, and the server that its mail goes to until the tests of the file are over. */
export async function journeyTests(house: TestHouse) {
  const smtp = await startSmtp();
  after(() => smtp.close());
  return {
    smtp,

    /** A journey that runs, which users enter by `trial_started` and which sends one mail, but for what is given. */
    async launched(project: TestProject, body: Partial<Body>): Promise<Answer<"createJourney">["journey"]> {
      const { journey } = await project.api.createJourney({
        body: {
          name: "Trial",
          entry: { on: "event", event: "trial_started" },
          steps: [mail("welcome")],
          ...body,
        },
      });
      await project.api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
      return journey;
    },

    /** The subjects of the mail that a user of a project got, in their order. */
    mailOf: (project: { domain: string }, userId: string): string[] =>
      smtp.taken
        .filter(({ to }) => to === `${userId}@${project.domain}`)
        .map(({ raw }) => /^Subject: (.*)$/m.exec(raw.toString("utf8"))?.[1]?.trim() ?? ""),

    /** A project that sends mail, with users who have an address at its domain. */
    async mailing(ids: readonly string[]) {
      const project = await sendingProject(house, smtp.port);
      const domain = `journey${projects++}.example`;
      await people(project, ids, domain);
      return { ...project, domain };
    },

    /** Lets time pass, in steps after each of which everything is done that is due. */
    async pass(ms: number, stepMs = Math.max(ms / 4, 10_000)): Promise<void> {
      for (let left = ms; left > 0; left -= stepMs) {
        house.advance(Math.min(left, stepMs));
        await house.drain();
      }
    },
  };
}
