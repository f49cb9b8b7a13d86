import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Random, randomFrom } from "../crash/random.ts";
import { type TestHouse, type TestProject, testHouse } from "../harness.ts";
import { rounds, seedOf } from "../rounds.ts";
import { launchForVisitors, openBrowser, visitedProject } from "../visitors.ts";

/**
 * Random histories of browsers and users over HTTP, beside plain lists: a visitor who signs in is the user, as if one id had been sent all along;
 * each unit of a campaign stays, and what the person does counts for all of theirs.
 */

type Unit = {
  campaign: string;
  /** The id that was decided about, and the one that has the delivery. */
  decidedFor: string;
  holder: string;
  deliveryId: string;
  variantId: string;
  shownAt: number | null;
  answered: boolean;
  /** It has converted, by what a goal counts: for good, and it is not shown any more. */
  converted: boolean;
};

type Done = { person: string; event: string; id: string; at: number };

/** What each id is, as plainly as it can be said. */
class People {
  /** Visitors who became users. */
  readonly became = new Map<string, string>();
  traits = new Map<string, Record<string, unknown>>();
  done: Done[] = [];
  units: Unit[] = [];
  /** What erased persons had done, by the unit that it counts for. */
  readonly frozen = new Map<Unit, Done[]>();

  personOf = (id: string): string => this.became.get(id) ?? id;
  ofPerson = (person: string): Unit[] => this.units.filter(({ holder }) => this.personOf(holder) === person);

  track(id: string, event: string, eventId: string, at: number): void {
    const person = this.personOf(id);
    if (!this.done.some((each) => each.person === person && each.id === eventId))
      this.done.push({ person, event, id: eventId, at });
  }

  identify(id: string, traits: Record<string, unknown>): void {
    const person = this.personOf(id);
    this.traits.set(person, { ...this.traits.get(person), ...traits });
  }

  /** The unit of a campaign that a person is shown; the one that lies under their own id. */
  current = (id: string, campaign: string): Unit | undefined =>
    this.units.find((each) => each.holder === this.personOf(id) && each.campaign === campaign);

  signIn(visitor: string, user: string): void {
    this.identify(user, {});
    if (this.became.has(visitor)) return;
    // Events that both have are one; a user's traits win.
    const known = new Set(this.done.filter(({ person }) => person === user).map(({ id }) => id));
    this.done = this.done.flatMap((each) =>
      each.person !== visitor ? each : known.has(each.id) ? [] : { ...each, person: user },
    );
    this.traits.set(user, { ...this.traits.get(visitor), ...this.traits.get(user) });
    this.traits.delete(visitor);
    for (const theirs of this.units.filter(({ holder }) => holder === visitor)) {
      const own = this.current(user, theirs.campaign);
      if (own !== undefined && own.shownAt === null && theirs.shownAt !== null)
        this.units = this.units.filter((each) => each !== own);
      else if (own !== undefined) {
        if (own.shownAt !== null && (theirs.answered || theirs.converted)) own.answered = true;
        continue;
      }
      theirs.holder = user;
    }
    this.became.set(visitor, user);
  }

  erase(id: string): boolean {
    if (
      !this.traits.has(id) &&
      !this.done.some(({ person }) => person === id) &&
      !this.units.some(({ holder }) => holder === id)
    )
      return false;
    for (const unit of this.ofPerson(id)) {
      this.frozen.set(unit, this.doneFor(unit));
      unit.holder = "nobody";
    }
    this.done = this.done.filter(({ person }) => person !== id);
    this.traits.delete(id);
    for (const [visitor, user] of this.became) if (user === id) this.became.delete(visitor);
    return true;
  }

  doneFor = (unit: Unit): Done[] =>
    this.frozen.get(unit) ?? this.done.filter(({ person }) => person === this.personOf(unit.holder));

  /** Converts what is to be converted; for each step. */
  convert(event: string): void {
    for (const unit of this.units)
      unit.converted ||=
        unit.shownAt !== null &&
        this.doneFor(unit).some((each) => each.event === event && each.at >= (unit.shownAt ?? 0));
  }

  counted(campaign: string, event: string): [exposed: number, converted: number] {
    const exposed = this.units.filter((each) => each.campaign === campaign && each.shownAt !== null);
    const converted = exposed.filter((unit) =>
      this.doneFor(unit).some((each) => each.event === event && each.at >= (unit.shownAt ?? 0)),
    );
    return [exposed.length, converted.length];
  }
}

const VISITORS = ["v1", "v2", "v3", "v4", "v5"];
const USERS = ["ada", "ben", "cleo"];
const EVENTS = ["paid", "looked", "left"];
const STEPS = rounds(160, 600);

async function play(house: TestHouse, project: TestProject, random: Random): Promise<People> {
  const people = new People();
  const { goal } = await project.api.createGoal({
    body: { name: "Pays", targetEvent: "paid", attributionDays: 30 },
  });
  const campaigns: string[] = [];
  const one = <T>(list: readonly T[]): T => list[random.int(list.length)] as T;
  const known = new Set<string>();
  const isVisitor = (id: string): boolean => VISITORS.includes(id);
  const named = (id: string) => (isVisitor(id) ? { anonymousId: id } : { userId: id });
  const launch = async () => {
    if (campaigns.length < 4) campaigns.push((await launchForVisitors(project, { goalId: goal.id })).id);
  };
  await launch();
  const acts: readonly [number, () => Promise<unknown>][] = [
    [1, launch],
    [
      10,
      async () => {
        const [id, event, eventId] = [one([...VISITORS, ...USERS]), one(EVENTS), `e${random.int(400)}`];
        // One id names one occurrence: it is sent with the same name again.
        const same = `${event}-${eventId}`;
        await (random.chance(0.3) ? project.api : project.sdk).track({
          body: { ...named(id), event, eventId: same },
        });
        people.track(id, event, same, house.now());
      },
    ],
    [
      4,
      async () => {
        const id = one([...VISITORS, ...USERS]);
        const traits = { [one(["color", "size", "kind"])]: random.int(5) };
        await project.sdk.identify({ body: { ...named(id), traits } });
        people.identify(id, traits);
      },
    ],
    [
      10,
      async () => {
        const id = one([...VISITORS, ...USERS]);
        const { messages } = isVisitor(id)
          ? await project.sdk.getMessages({ query: {}, headers: { "x-anonymous-id": id } })
          : await project.sdk.getMessages({ query: { userId: id } });
        for (const { campaignId, deliveryId, variantId } of messages) {
          const unit = people.current(id, campaignId);
          if (unit === undefined) {
            const holder = people.personOf(id);
            people.units.push({
              campaign: campaignId,
              decidedFor: id,
              holder,
              deliveryId,
              variantId,
              shownAt: null,
              answered: false,
              converted: false,
            });
            continue;
          }
          // Never in another variant, and never once it was answered.
          assert.equal(unit.variantId, variantId);
          assert.equal(unit.answered || unit.converted, false);
          unit.deliveryId = deliveryId;
        }
        const open = people.units.filter(
          ({ holder, answered, converted }) => holder === people.personOf(id) && !answered && !converted,
        );
        assert.equal(messages.length, open.length);
      },
    ],
    [
      14,
      async () => {
        const unit = one(people.units.filter(({ holder }) => holder !== "nobody"));
        if (unit === undefined) return;
        const person = people.personOf(unit.holder);
        const by = one([unit.decidedFor, person].filter((id) => people.personOf(id) === person));
        if (by === undefined) return;
        const type =
          unit.shownAt === null ? ("shown" as const) : one(["clicked", "dismissed", "shown"] as const);
        const body = { ...named(by), type, feedbackId: `f${known.size}` };
        known.add(body.feedbackId);
        const send = () => project.sdk.sendDeliveryFeedback({ path: { id: unit.deliveryId }, body });
        const first = await send();
        if (random.chance(0.3)) assert.equal((await send()).receiptId, first.receiptId);
        unit.shownAt ??= house.now();
        if (type !== "shown") unit.answered = true;
      },
    ],
    [
      4,
      async () => {
        const [visitor, user] = [one(VISITORS), one(USERS)];
        await openBrowser(project, visitor).signIn(user);
        people.signIn(visitor, user);
      },
    ],
    [
      1,
      async () => {
        const id = one(USERS);
        const erased = await project.api.eraseUser({ path: { id } }).then(
          () => true,
          () => false,
        );
        assert.equal(people.erase(id), erased);
      },
    ],
    [
      1,
      async () => {
        const id = one(VISITORS);
        if (people.became.has(id)) return;
        const erased = await project.api.eraseUser({ path: { id: `$anon:${id}` } }).then(
          () => true,
          () => false,
        );
        assert.equal(people.erase(id), erased);
      },
    ],
    [8, async () => house.advance(1 + random.int(3_600_000))],
  ];
  const all = acts.reduce((sum, [weight]) => sum + weight, 0);
  for (let step = 0; step < STEPS; step++) {
    let rest = random.int(all);
    for (const [weight, act] of acts) {
      if (rest < weight) {
        await act();
        break;
      }
      rest -= weight;
    }
    people.convert("paid");
    house.advance(1);
    if (step % 40 === 39) await compare(house, project, people, campaigns);
  }
  await compare(house, project, people, campaigns);
  return people;
}

/** What the API says, beside the lists. */
async function compare(
  house: TestHouse,
  project: TestProject,
  people: People,
  campaigns: readonly string[],
): Promise<void> {
  for (const id of USERS) {
    const answer = await project.api.getUser({ path: { id } }).catch(() => null);
    const theirs = people.done.filter(({ person }) => person === id);
    if (answer === null) {
      assert.deepEqual([people.traits.has(id), theirs, people.ofPerson(id)], [false, [], []]);
      continue;
    }
    assert.deepEqual(answer.user.traits, people.traits.get(id) ?? {}, id);
    const { events, total } = await project.api.listUserEvents({ path: { id }, query: { perPage: 100 } });
    assert.equal(total, theirs.length, id);
    const shown = (list: readonly { name: string; ts: number }[]) =>
      list.map(({ name, ts }) => `${ts} ${name}`).toSorted();
    if (total <= 100)
      assert.deepEqual(shown(events), shown(theirs.map(({ event, at }) => ({ name: event, ts: at }))), id);
    const { deliveries } = await project.api.listUserDeliveries({ path: { id }, query: { perPage: 100 } });
    assert.deepEqual(
      deliveries.map(({ campaignId, variantId }) => `${campaignId} ${variantId}`).toSorted(),
      people.units
        .filter(({ holder }) => holder === id)
        .map(({ campaign, variantId }) => `${campaign} ${variantId}`)
        .toSorted(),
      id,
    );
  }
  for (const id of campaigns) {
    const units = people.units.filter(({ campaign }) => campaign === id);
    const { stats } = (await project.api.getCampaign({ path: { id } })).campaign;
    assert.equal(stats.shown, units.filter(({ shownAt }) => shownAt !== null).length);
    assert.equal((await project.api.listCampaignDeliveries({ path: { id } })).total, units.length);
    for (const event of EVENTS) {
      const { totals } = await project.api.getCampaignConversions({ path: { id }, query: { event } });
      assert.deepEqual(
        [totals.exposedDeliveries, totals.convertedDeliveries],
        people.counted(id, event),
        `${id} ${event}`,
      );
    }
    assert.equal(stats.converted, units.filter(({ converted }) => converted).length, id);
  }
  assert.deepEqual(await house.differences(), {});
}

describe("visitors who sign in, in random histories", () => {
  const house = testHouse();
  const first = seedOf();
  for (let seed = first; seed < first + rounds(3, 20); seed++)
    it(`are what plain lists say of them (seed ${seed})`, async () => {
      const people = await play(house, await visitedProject(house), randomFrom(seed));
      assert.ok(people.done.length > 0);
    });
});
