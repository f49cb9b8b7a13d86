import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { messagesOf } from "../../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { launchForVisitors, openBrowser, visitedProject } from "../../../../../test/visitors.ts";
import { defaultLimits } from "../../../../platform/limits.ts";
import { applyDeltas } from "../../../counting/rollups/public.ts";

const AMONG = 10;
const house = testHouse({ limits: { ...defaultLimits, usersSearched: AMONG } });

type Query = NonNullable<NonNullable<Parameters<TestProject["api"]["listUsers"]>[0]>["query"]>;
type Answer = Awaited<ReturnType<TestProject["api"]["listUsers"]>>;
const list = ({ api }: TestProject, query: Query): Promise<Answer> => api.listUsers({ query });

type Person = { id: string; userKey: string; plan: string; at: number };

/** Users who come in groups, each group in one millisecond. */
async function people(project: TestProject, groups: readonly (readonly string[])[]): Promise<Person[]> {
  const made: Person[] = [];
  for (const plans of groups) {
    house.advance(1_000);
    for (const plan of plans) {
      const id = `user-${made.length}`;
      await project.api.identify({ body: { userId: id, traits: { plan } } });
      made.push({ id, userKey: "", plan, at: house.now() });
    }
  }
  const { rows } = await house.database.pool.query<{ id: string; key: string }>(
    "select external_id as id, user_key as key from users where project_id = $1",
    [project.projectId],
  );
  const keys = new Map(rows.map(({ id, key }) => [id, key]));
  return made
    .map((person) => ({ ...person, userKey: keys.get(person.id) ?? "" }))
    .toSorted((a, b) => b.at - a.at || (a.userKey < b.userKey ? 1 : -1));
}

const idsOf = ({ users }: Answer): string[] => users.map(({ externalUserId }) => externalUserId);

/** Follows the cursors of a list from an answer on. Each answer is at one page of the list behind the one before. */
async function follow(project: TestProject, query: Query): Promise<{ ids: string[]; answers: Answer[] }> {
  const answers: Answer[] = [];
  for (let cursor: string | null | undefined; cursor !== null; cursor = answers.at(-1)?.nextCursor) {
    assert.ok(answers.length < 100, "the cursors have no end");
    answers.push(await list(project, { ...query, ...(cursor != null && { cursor }) }));
  }
  return { ids: answers.flatMap(idsOf), answers };
}

const group = fc.array(fc.constantFrom("free", "pro"), { minLength: 1, maxLength: 7 });
const groups = fc.array(group, { minLength: 1, maxLength: 7 });

describe("a long list of users", () => {
  it("has everybody once, by pages and by cursors, whatever the filter", async () => {
    const property = fc.asyncProperty(
      groups,
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom<Query>({}, { traitKey: "plan", traitValue: "pro" }, { q: "PRO" }, { q: "free" }),
      async (plans, perPage, filter) => {
        const project = await house.project();
        const all = await people(project, plans);
        const word = (filter.q ?? filter.traitValue ?? "").toLowerCase();
        const isRead = word !== "";
        const meant = all.filter(({ plan }) => !isRead || plan === word).map(({ id }) => id);
        const { ids, answers } = await follow(project, { ...filter, perPage });
        assert.deepEqual(ids, meant);
        const [first] = answers;
        const looked = isRead ? all.slice(0, AMONG) : all;
        assert.equal(first?.searchedAll, !isRead || all.length <= AMONG);
        const found = looked.map(({ id }) => id).filter((id) => meant.includes(id));
        assert.equal(first?.total, found.length);
        const pages: string[] = [];
        for (let page = 1; page <= first.pageCount; page++)
          pages.push(...idsOf(await list(project, { ...filter, perPage, page })));
        assert.deepEqual(pages, found);
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it("goes on behind its cursor while others come and the one that it names is erased", async () => {
    const project = await house.project();
    const all = await people(project, [["free", "free"], ["pro"], ["free", "pro", "free"]]);
    const first = await list(project, { perPage: 2 });
    await people(project, [["free"]]);
    const [, last] = first.users;
    await project.api.eraseUser({ path: { id: last?.id ?? "" } });
    const rest = await list(project, { perPage: 50, cursor: first.nextCursor ?? "" });
    assert.deepEqual(
      [...idsOf(first), ...idsOf(rest)],
      all.map(({ id }) => id),
    );
  });

  it("counts who comes, goes, and was a visitor, before and after the counts are added up", async () => {
    const project = await visitedProject(house);
    const { api } = project;
    const counts = async (): Promise<number[]> => {
      const { totalUsers, visitors } = await api.getUserSummary({ query: {} });
      const [users, only] = [await list(project, {}), await list(project, { visitors: "only" })];
      assert.deepEqual([users.total, only.total], [totalUsers, visitors]);
      assert.deepEqual([users.users.length, only.users.length], [totalUsers, visitors]);
      assert.equal((await api.getOverview()).endUsers, totalUsers);
      return [totalUsers, visitors];
    };
    const stays = async (expected: readonly number[]) => {
      assert.deepEqual(await counts(), expected);
      await applyDeltas(house.tidings.app);
      assert.deepEqual(await counts(), expected);
    };
    assert.deepEqual(await counts(), [0, 0]);
    await people(project, [["free"], ["pro", "pro"]]);
    await api.track({ body: { userId: "by an event", event: "came" } });
    await launchForVisitors(project);
    await messagesOf(project, "by a look");
    const [stranger, buyer] = [openBrowser(project, "stranger"), openBrowser(project, "buyer")];
    await stranger.track("looked");
    await buyer.messages();
    await buyer.track("looked");
    await stays([5, 2]);
    await buyer.signIn("buyer");
    await stranger.signIn("user-0");
    await stays([6, 0]);
    const { user } = await api.getUser({ path: { id: "by an event" } });
    await api.eraseUser({ path: { id: user.id } });
    await house.drain();
    await stays([5, 0]);
    assert.deepEqual(await house.differences(), {});
  });

  it("refuses a cursor that no list of users answered, and names it", async () => {
    const project = await house.project();
    const texts = ["x", "null", "[]", '["a","b"]', "[1.5,null]", `[1,"${"0".repeat(36)}"]`, "[1e400]"];
    for (const text of texts) {
      const cursor = Buffer.from(text).toString("base64url");
      const { status, error } = await refusal(list(project, { cursor }));
      assert.deepEqual([status, error], [400, "cursor must be one that this operation answered"], text);
    }
    const { status, error } = await refusal(list(project, { cursor: "x".repeat(2_049) }));
    assert.deepEqual([status, error], [400, "cursor must be at most 2048 characters"]);
  });
});
