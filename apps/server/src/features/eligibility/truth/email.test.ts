import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Explanation, gateOf } from "../../../../test/eligibility.ts";
import { launchEmail, progressOf, sendingProject, setSettings } from "../../../../test/email.ts";
import { testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { inWorlds } from "./dice.test-data.ts";
import {
  changeUser,
  join,
  type MailWorld,
  newPrefix,
  ROUND_MS,
  randomCampaign,
  randomCap,
  randomMailing,
  unsubscribe,
  userOfAddress,
} from "./email-world.test-data.ts";
import { assertCensus, assertFates, assertSeen, explainAll, firstFailing } from "./explained.test-data.ts";
import {
  type Campaign,
  editorsOf,
  goOn,
  newlyWithheld,
  pause,
  shiftCampaign,
  statesOf,
} from "./world.test-data.ts";

const house = testHouse();
const editorOf = editorsOf(house);
const seen = new Set<string>();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

/** What becomes of a user whose mail is not over with, where the gate does not pass that an explanation names first. */
function fateByGate(explanation: Explanation): string {
  const { delivery } = gateOf(explanation, "delivery");
  const waits = delivery === null ? "planned" : "as before";
  // The campaign is paused while it is explained, and then goes on.
  const failing = firstFailing(explanation, ["status"]);
  if (failing === null) return "leaves";
  switch (failing.gate) {
    case "cap":
      return failing.overCap === "skip" && (failing.accepted ?? 0) >= failing.capMax ? "capped" : waits;
    case "time":
    case "quiet":
    case "pressure":
      return waits;
    case "holdout":
      return "withheld";
    case "address":
    case "suppression":
      return delivery === null ? "nothing" : "fails";
    default:
      return delivery === null ? "nothing" : "as before";
  }
}

function predictedFate(explanation: Explanation): string {
  const { delivery } = gateOf(explanation, "delivery");
  return delivery === null || delivery.isOpen ? fateByGate(explanation) : "as before";
}

/** What the mail server does this time with the mail of a user. */
type Reply = "take" | "defer" | "gone" | "drop";

/** Has the mail server answer each user at random; answers those for whom something came since. */
function receive({ dice, users }: MailWorld): Set<string> {
  const replies = new Map<string, Reply>(
    users.map((user) => [user, dice.chance(0.6) ? "take" : dice.pick(["defer", "defer", "gone", "drop"])]),
  );
  const attempted = new Set<string>();
  smtp.behave({
    onRecipient(to) {
      const user = userOfAddress(to);
      attempted.add(user);
      const reply = replies.get(user);
      if (reply === "defer") return { code: 451, text: "4.7.1 Try again later" };
      return reply === "gone" ? { code: 550, text: "5.1.1 No such user" } : null;
    },
    onMessage: ({ to }) => (replies.get(userOfAddress(to)) === "drop" ? "drop" : null),
  });
  return attempted;
}

/** Users change their addresses, unsubscribe and join; people move holdout and weights. */
async function live(world: MailWorld, { id }: Campaign, tag: string): Promise<void> {
  const { dice, users } = world;
  for (const user of dice.some(users, 0.3)) await changeUser(world, user, tag);
  const mails = smtp.taken.filter(({ to }) => users.includes(userOfAddress(to)));
  for (const { raw } of dice.some(mails, 0.1)) await unsubscribe(house, raw);
  await shiftCampaign(world, id, house.now());
  await join(world, dice.int(1, 3));
}

async function round(world: MailWorld, { id }: Campaign, isPaced: boolean): Promise<void> {
  const { project, users } = world;
  const explained = await explainAll(project, id, users);
  await assertCensus(world, id, explained);
  const had = await statesOf(world, id);
  const attempted = receive(world);
  const goes = await goOn(world, id, house.now());
  await house.drain();
  const states = await statesOf(world, id);
  const withheld = await newlyWithheld(world, id, explained, states);
  const became = (user: string): string => {
    const [before, state] = [had.get(user), states.get(user)];
    if (attempted.has(user)) return "leaves";
    if (state === undefined) return withheld.has(user) ? "withheld" : "nothing";
    if (before === state) return "as before";
    const changes: Record<string, string> = { frequency_capped: "capped", failed: "fails" };
    return changes[state] ?? (before === undefined ? "planned" : `${state}, and was ${before}`);
  };
  /** Of what waits, and would wait for longer than its campaign has patience, it is not said when it is withdrawn. */
  const isWithdrawn = (explanation: Explanation, user: string): boolean => {
    const failing = firstFailing(explanation, ["status"]);
    if (states.get(user) !== "withdrawn" || failing === null) return false;
    if (failing.gate === "cap") return failing.postponedUntil === null;
    return (failing.gate === "quiet" || failing.gate === "pressure") && failing.until === null;
  };
  const still = (explanation: Explanation): string =>
    gateOf(explanation, "delivery").delivery === null ? "nothing" : "as before";
  // The pace lets only some of those leave who may, and nothing is decided about the others.
  const paced = (fate: string): string => (["leaves", "planned", "capped"].includes(fate) ? "planned" : fate);
  assertFates(
    world,
    explained,
    (explanation) => {
      if (!goes) return still(explanation);
      const fate = predictedFate(explanation);
      return isPaced && gateOf(explanation, "delivery").delivery === null ? paced(fate) : fate;
    },
    (explanation, user) => {
      if (isWithdrawn(explanation, user)) return had.has(user) ? "as before" : "planned";
      return isPaced && !had.has(user) ? paced(became(user)) : became(user);
    },
    id,
  );
  await pause(world, id, house.now());
}

describe("an email campaign: census, explanations, planning and sending", () => {
  inWorlds([17], "agree about every user", async (dice) => {
    const project = await randomMailing(house, smtp, dice);
    const world: MailWorld = {
      dice,
      project,
      people: await editorOf(project),
      users: [],
      seen,
      prefix: newPrefix(),
    };
    smtp.taken.length = 0;
    await join(world, dice.int(10, 15));
    house.advance(HOUR_MS);
    await join(world, dice.int(12, 20));
    const campaigns: Campaign[] = [];
    for (let n = 0; n < 2; n++) campaigns.push(await randomCampaign(world, house.now()));
    const isPaced = dice.chance(0.5);
    for (let n = 0; n < 4; n++) {
      const campaign = campaigns[n % 2];
      assert.ok(campaign);
      house.advance(ROUND_MS);
      if (n > 0) await live(world, campaign, `.${n}`);
      await setSettings(house, project, { "email.perMinute": isPaced && n < 2 ? "300" : "" });
      if (dice.chance(0.25)) await setSettings(house, project, randomCap(dice));
      house.advance(ROUND_MS);
      await round(world, campaign, isPaced && n < 2);
    }
  });

  it("agree of users who share an address on the mails that it gets, where explanations answer for each alone", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "2" });
    smtp.behave({});
    const users = Array.from({ length: 5 }, (_, n) => `member-${n}`);
    for (const [n, userId] of users.entries())
      await project.api.identify({
        body: { userId, traits: { email: n === 0 ? "TEAM@example.com" : "team@Example.com" } },
      });
    const { id } = await launchEmail(project);
    const { capped, willReceive } = await project.api.takeCampaignCensus({ path: { id } });
    assert.deepEqual([capped, willReceive], [3, 2]);
    for (const [user, { outcome }] of await explainAll(project, id, users))
      assert.equal(outcome, "would_receive", user);
    for (let n = 0; n < 4; n++) {
      await house.drain();
      // A mail waits for the outcome of another one to its address.
      house.advance(MINUTE_MS);
    }
    const { accepted, frequencyCapped } = await progressOf(project, id);
    assert.deepEqual([accepted, frequencyCapped], [willReceive, capped]);
  });

  it("have met all that may become of users, where many worlds are played", () => {
    assertSeen(seen, {
      buckets: [
        "delivered",
        "held_out",
        "capped",
        "will_receive",
        "too_late",
        "no_address",
        "invalid_address",
        "suppressed",
        "unconfirmed",
        "later: localHour",
        "later: quiet",
        "later: pressure",
      ],
      new: ["leaves", "planned", "capped", "withheld", "nothing"],
      had: ["leaves", "capped", "fails", "as before"],
    });
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
