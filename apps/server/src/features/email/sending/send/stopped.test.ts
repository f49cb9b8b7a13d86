import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { simpleParser } from "mailparser";
import { until } from "../../../../../test/commands/spawned.ts";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { startSmtp, type Taken } from "../../../../../test/peers/smtp.ts";
import { makeTopic } from "../../../../../test/topics.ts";
import { FIRST_OCCASION, userRef, uuidOf } from "../../../../domain/ids.ts";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { addressRef, suppressAddress } from "../../addresses/public.ts";
import { linkSigner } from "../links.ts";

const house = testHouse();

const PEOPLE = Array.from({ length: 20 }, (_, n) => `user-${n}`);
/** With one connection, one message is on the wire, and the attempt of the next one is recorded while it waits for the connection. */
const UNDER_WAY = 2;
/** Shorter than a lease, so that the window of the campaign stops messages, and not the end of the lease. */
const WINDOW_MS = 30 * SECOND_MS;

type Scene = { project: TestProject; id: string; taken: Taken[] };

/** A campaign to twenty people, over one connection, whose first message is on the wire while something is done. */
async function duringTheFirst(
  act: (scene: Scene) => Promise<unknown>,
  topic: string | null = null,
): Promise<Scene> {
  const release = Promise.withResolvers<null>();
  let handedOver = 0;
  const peer = await startSmtp({
    onMessage: () => {
      handedOver++;
      return release.promise;
    },
  });
  const smtpUrl = `smtp://127.0.0.1:${peer.port}?connections=1`;
  const project = await sendingProject(house, peer.port, { "email.smtpUrl": smtpUrl });
  await people(project, PEOPLE);
  const topicId = topic === null ? null : (await makeTopic(project, { key: topic })).id;
  const { id } = await launchEmail(project, { topicId, deliverUntil: house.now() + WINDOW_MS });
  const scene = { project, id, taken: peer.taken };
  const draining = house.drain();
  await until(() => handedOver === 1, "the first message is on the wire");
  await until(
    async () => (await progressOf(project, id)).sending === PEOPLE.length,
    "all others are claimed as well",
  );
  await act(scene);
  release.resolve(null);
  await draining;
  return scene;
}

const act = ({ project, id }: Scene, action: "launch" | "pause" | "end") =>
  project.api.setCampaignStatus({ path: { id }, body: { action } });

/** Asserts that each of the twenty people got one message, and no other address did. */
const assertAllOnce = (taken: readonly Taken[], ids: readonly string[] = PEOPLE): void =>
  assert.deepEqual(taken.map(({ to }) => to).sort(), ids.map((userId) => `${userId}@example.com`).sort());

const subjects = (taken: readonly Taken[]): Promise<(string | undefined)[]> =>
  Promise.all(taken.map(async ({ raw }) => (await simpleParser(raw)).subject));

describe("messages that are claimed and not under way yet", () => {
  it("stay when their campaign is paused, and leave when it goes on", async () => {
    const scene = await duringTheFirst((during) => act(during, "pause"));
    const { project, id, taken } = scene;
    const left = taken.length;
    assert.ok(left <= UNDER_WAY, `${left} left`);
    const { accepted, waiting, sending } = await progressOf(project, id);
    assert.deepEqual([accepted, waiting, sending], [left, PEOPLE.length - left, 0]);
    await act(scene, "launch");
    await house.drain();
    assertAllOnce(taken);
  });

  it("never leave once it has ended", async () => {
    const { project, id, taken } = await duringTheFirst((during) => act(during, "end"));
    await house.drain();
    assert.ok(taken.length <= UNDER_WAY, `${taken.length} left`);
    assert.equal((await progressOf(project, id)).waiting, 0);
    const { deliveries } = await project.api.listCampaignDeliveries({
      path: { id },
      query: { perPage: 100 },
    });
    assert.deepEqual(
      deliveries.filter(({ state }) => state === "withdrawn").length,
      PEOPLE.length - taken.length,
    );
  });

  it("never leave once its window is over", async () => {
    const { project, id, taken } = await duringTheFirst(async () => house.advance(WINDOW_MS));
    assert.ok(taken.length <= UNDER_WAY, `${taken.length} left`);
    assert.equal((await progressOf(project, id)).waiting, PEOPLE.length - taken.length);
  });

  it("do not go to an address that is suppressed meanwhile", async () => {
    const { project, id, taken } = await duringTheFirst(async (during) => {
      const { projectId } = during.project;
      // Only one of these can be on the wire or next in line.
      for (const userId of ["user-17", "user-18", "user-19"])
        await suppressAddress(
          house.database.kysely,
          projectId,
          addressRef(projectId, `${userId}@example.com`),
          {
            reason: "unsubscribed",
            at: house.now(),
          },
        );
    });
    const { accepted, suppressed, waiting, sending } = await progressOf(project, id);
    assert.ok(suppressed >= 1, `${suppressed} suppressed`);
    assert.deepEqual([accepted + suppressed, waiting, sending], [PEOPLE.length, 0, 0]);
    assert.equal(taken.length, accepted);
  });

  it("do not go to a reader who leaves the topic of the campaign meanwhile, whichever way", async () => {
    const { project, id, taken } = await duringTheFirst(
      async ({ project: { projectId, api }, id: campaign }) => {
        const campaignId = uuidOf("cmp", campaign) ?? "";
        const link = (userId: string) => {
          const key = { ...userRef(projectId, userId), campaignId, occasion: FIRST_OCCASION };
          return `${house.url}/e/${house.tidings.app.get(linkSigner).token(key, "link")}/unsubscribe`;
        };
        for (const userId of ["user-16", "user-17"])
          assert.equal((await fetch(link(userId), { method: "POST" })).status, 200);
        const choices = [{ topic: "news", wants: "out" as const }];
        for (const userId of ["user-18", "user-19"])
          await api.putUserSubscriptions({ path: { id: userId }, body: { choices } });
      },
      "news",
    );
    const { accepted, suppressed, waiting, sending } = await progressOf(project, id);
    assert.ok(suppressed >= 4 - UNDER_WAY, `${suppressed} left out`);
    assert.deepEqual([accepted + suppressed, waiting, sending], [PEOPLE.length, 0, 0]);
    assert.equal(taken.length, accepted);
  });

  it("say what the campaign says by then", async () => {
    const scene = await duringTheFirst(({ project, id }) =>
      project.api.updateCampaign({
        path: { id },
        body: { message: { subject: "Mended", body: "As it was meant." } },
      }),
    );
    assertAllOnce(scene.taken);
    const mended = (await subjects(scene.taken)).filter((subject) => subject === "Mended");
    assert.ok(mended.length >= PEOPLE.length - UNDER_WAY, `${mended.length} are mended`);
  });

  it("go on as they are when something else of the campaign changes", async () => {
    const { id, project, taken } = await duringTheFirst((during) =>
      during.project.api.updateCampaign({ path: { id: during.id }, body: { name: "Another name" } }),
    );
    assertAllOnce(taken);
    assert.equal((await progressOf(project, id)).accepted, PEOPLE.length);
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
