import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { clientOf } from "../../../test/people.ts";
import { launchPush, pushHouse, reachable } from "../../../test/push.ts";
import { rounds } from "../../../test/rounds.ts";

const { house, apns, fcm, sendingProject } = await pushHouse();

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom("{{ user.name }}", "{{ user.plan | default: 'free' }}", "{{ user.id }}"),
      fc.constantFrom("Hello ", "你好", "مرحبا", "<b>", "& ", '"', "\\", "👋🏽"),
      fc.string({ maxLength: 12, unit: "grapheme" }).filter((text) => !/[{}\p{C}]/u.test(text)),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => `T${parts.join("")}`);

const messages = fc.record(
  {
    title: texts,
    body: texts,
    destination: fc.constantFrom(
      { kind: "app" as const, url: "acme://news" },
      { kind: "website" as const, url: "https://shop.example/?a=1&b=2" },
    ),
    image: fc.constant("https://shop.example/a.png"),
    data: fc.dictionary(
      fc.constantFrom("a", "b", "c"),
      fc.string({ minLength: 1, maxLength: 8 }).filter((text) => !/\p{C}/u.test(text)),
    ),
  },
  { requiredKeys: ["title", "body", "destination"] },
);

type Envelope = Record<string, unknown>;

/** An envelope as the preview has it, which is of no device and no attempt yet. */
const withoutIds = (envelope: Envelope, preview: Envelope): Envelope => {
  const { targetId, attemptId, installationId, bindingGeneration } = preview;
  return { ...envelope, targetId, attemptId, installationId, bindingGeneration };
};

it("the preview of a push is what each provider is given, but for the ids of the device and the attempt", async () => {
  const project = await sendingProject();
  const { client: editor } = await clientOf(house, project.projectId, "editor");
  await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada <i> & co", plan: "pro" } } });
  await reachable(project, "ada", { platform: "ios" });
  await reachable(project, "ada", { platform: "android" });
  await fc.assert(
    fc.asyncProperty(messages, async (message) => {
      const before = { ios: apns.taken.length, android: fcm.taken.length };
      const push = { appId: "com.example.app", selection: { kind: "all" as const } };
      const { id } = await launchPush(project, { message, push });
      await house.drain();
      await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
      const preview = await editor.previewMessage({ body: { channel: "push", message, userId: "ada" } });
      assert.ok(preview.channel === "push");
      const [ios, android] = preview.payloads.map(({ payload }) => JSON.parse(payload ?? ""));
      const delivered = apns.taken[before.ios]?.payload;
      assert.ok(delivered);
      assert.deepEqual({ ...delivered, tidings: withoutIds(delivered.tidings, ios.tidings) }, ios);
      const data = fcm.taken[before.android]?.data;
      assert.deepEqual(Object.keys(data ?? {}).sort(), Object.keys(android).sort());
      const inside = JSON.parse(android.tidings);
      assert.deepEqual(withoutIds(JSON.parse(data?.tidings ?? ""), inside), inside);
      assert.deepEqual([apns.taken.length - before.ios, fcm.taken.length - before.android], [1, 1]);
    }),
    { numRuns: rounds(10, 60) },
  );
});
