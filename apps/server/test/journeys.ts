import type { TestHouse, TestProject } from "./harness.ts";

/** A journey in which a user came past a condition and a mail that is queued or was skipped, and one who left it. */
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
