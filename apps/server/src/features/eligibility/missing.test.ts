import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import fc from "fast-check";
import { claim, makeGoal, propose } from "../../../test/agent.ts";
import { launchEmail, sendingProject } from "../../../test/email.ts";
import { launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject } from "../../../test/harness.ts";
import { startSmtp } from "../../../test/peers/smtp.ts";
import { clientOf } from "../../../test/people.ts";
import { APP, launchPush, MESSAGE, pushHouse, reachable } from "../../../test/push.ts";
import { rounds } from "../../../test/rounds.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { leavesGap, parseTemplate, type TemplateUser } from "../content/template/template.pure.ts";
import { drawVariant } from "../deliveries/public.ts";

const { house, sendingProject: pushProject } = await pushHouse();
const smtp = await startSmtp();
after(() => smtp.close());

const missingOf = async ({ api }: TestProject, id: string) =>
  (await api.takeCampaignCensus({ path: { id } })).missing;

/** What a census says of a field at which some of all users have nothing. */
// biome-ignore lint/plugin: the API calls it so.
const lacking = (field: string, users: number, all: number) => ({ field, users, of: all });

const identify = ({ api }: TestProject, userId: string, traits: Record<string, unknown> = {}) =>
  api.identify({ body: { userId, traits: { email: `${userId}@example.com`, ...traits } } });

const mail = (text: string) => ({ subject: "News", body: text });

type StoredUser = {
  userKey: string;
  externalId: string;
  traits: Record<string, unknown>;
  serverTraits: string[] | null;
};

async function usersOf({ projectId }: TestProject): Promise<StoredUser[]> {
  const { rows } = await house.database.pool.query<StoredUser>(
    `select user_key as "userKey", external_id as "externalId", traits, server_traits as "serverTraits" from users where project_id = $1`,
    [projectId],
  );
  return rows;
}

/** Whether a text has a field without a default at which the person has nothing, by the rules of the template engine alone. */
function gapsIn(text: string, person: TemplateUser): Set<string> {
  const template = parseTemplate(text);
  if ("fault" in template) return assert.fail(template.fault);
  const fields = template.parts.filter((part) => typeof part !== "string");
  const open = fields.filter(({ fallback }) => fallback === null);
  return new Set(
    open
      .filter((field) =>
        leavesGap({ from: "user", trait: field.trait, readsLists: field.filters !== null }, person),
      )
      .map(({ trait }) => trait),
  );
}

const TRAITS = ["a", "b", "c d", "é"] as const;
const values = fc.oneof(
  fc.constantFrom<unknown>(
    "Ada",
    "",
    " ",
    "\u00a0\u2003\ufeff",
    "\u200b",
    "false",
    "null",
    0,
    -1.5,
    12_345,
    true,
    false,
  ),
  fc.constantFrom<unknown>({}, { first: "Ada" }, [], [""], ["a", "b"], [null, {}], ["x", 1, true, ["y"]]),
  fc.constantFrom<unknown>(
    "http://spam.example",
    "WWW.spam.example",
    "wwwspam",
    "https:/x",
    ["see ://", "x"],
    ["ww", "w.x"],
  ),
  fc.constantFrom<unknown>("x".repeat(100), "x".repeat(101), "👋".repeat(100), "👋".repeat(101), [
    "x".repeat(60),
    "y".repeat(41),
  ]),
);
const traits = fc.dictionary(fc.constantFrom(...TRAITS), values);
const field = fc
  .tuple(
    fc.constantFrom<string>(...TRAITS, "id"),
    fc.constantFrom("", " | upcase", ' | join: ", "', ' | default: "x"', " | default: ''"),
  )
  .map(([name, filters]) => `{{ user[${JSON.stringify(name)}]${filters} }}`);
const texts = fc.array(field, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(" "));
const weights = fc.constantFrom([1, 0], [0, 3], [1, 1], [2, 1]);

describe("the fields that a census finds missing", () => {
  it("are those of the template engine, for each user and the variant that the user draws", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ byServer: traits, byPage: traits, isKnown: fc.boolean() }), {
          minLength: 8,
          maxLength: 16,
        }),
        fc.tuple(texts, texts),
        weights,
        fc.boolean(),
        async (given, bodies, [first, second], isMail) => {
          const project = await sendingProject(house, smtp.port, { "identity.newAddressesPerHour": "1000" });
          for (const [n, { byServer, byPage, isKnown }] of given.entries()) {
            const userId = n % 3 === 0 ? `www.user-${n}` : `user-${n}`;
            const email = `user-${n}@example.com`;
            if (isKnown) await project.api.identify({ body: { userId, traits: { ...byServer, email } } });
            await project.sdk.identify({ body: { userId, traits: { ...byPage, email } } });
          }
          const variants = bodies.map((text, index) => ({
            weight: (index === 0 ? first : second) ?? 0,
            message: isMail ? mail(text) : { ...toast("Hi"), body: text },
          }));
          const { id, variants: made } = isMail
            ? await launchEmail(project, { variants, launch: false })
            : await launchCampaign(project, { variants, launch: false });
          const found = await missingOf(project, id);
          const expected = new Map<string, { users: number; all: number }>();
          const uuid = (prefixed: string) => prefixed.slice(prefixed.indexOf("_") + 1);
          for (const user of await usersOf(project)) {
            const drawn = drawVariant(made, uuid(id), user.userKey);
            const text = bodies[made.findIndex((each) => each.id === drawn?.id)] ?? "";
            const missing = gapsIn(text, readTemplateUser(user));
            for (const trait of gapsIn(text, { id: "", traits: {} })) {
              const count = expected.get(trait) ?? { users: 0, all: 0 };
              expected.set(trait, {
                users: count.users + (missing.has(trait) ? 1 : 0),
                all: count.all + 1,
              });
            }
          }
          const named = [...expected].map(([trait, { users, all }]) =>
            lacking(`user[${JSON.stringify(trait)}]`, users, all),
          );
          const inOrder = (list: typeof found) => list.toSorted((a, b) => (a.field < b.field ? -1 : 1));
          assert.deepEqual(inOrder(found), inOrder(named.filter(({ users }) => users > 0)));
        },
      ),
      { numRuns: rounds(12, 150) },
    );
  });

  it("are counted of those who can be reached: not of users who are left out, have it, or are not reached", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "1" });
    await identify(project, "ada", { first_name: "Ada", plan: "pro" });
    await identify(project, "empty", { first_name: "" });
    await identify(project, "nested", { first_name: { text: "Nes" } });
    await identify(project, "absent", { plan: null });
    await project.api.identify({ body: { userId: "unreachable", traits: { email: "no address" } } });
    const text = 'Hi {{ user.first_name }}, {{user . first_name|upcase}} {{ user.plan | default: "free" }}';
    const { id } = await launchEmail(project, { message: mail(text), launch: false });
    assert.deepEqual(await missingOf(project, id), [lacking("user.first_name", 3, 4)]);
    const path = { id };
    await project.api.setCampaignStatus({ path, body: { action: "launch" } });
    await house.drain();
    await identify(project, "late");
    assert.deepEqual(await missingOf(project, id), [lacking("user.first_name", 1, 1)]);
    // Users who have had as many mails as the cap allows are reachable once there is room again.
    const next = await launchEmail(project, { message: mail(text), launch: false });
    const census = await project.api.takeCampaignCensus({ path: { id: next.id } });
    assert.deepEqual(
      [census.capped, census.willReceive, census.missing],
      [4, 1, [lacking("user.first_name", 4, 5)]],
    );
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    for (let n = 0; n < 30; n++) await identify(project, `more-${n}`);
    await project.api.updateCampaign({ path: { id: next.id }, body: { goalId: goal.id } });
    const found = await project.api.takeCampaignCensus({ path: { id: next.id } });
    assert.ok(found.heldOut > 0 && found.reachable > 0);
    assert.equal(found.missing[0]?.of, found.reachable);
  });

  it("are those of every text of a message, most users first, and of 20 fields at most", async () => {
    const project = await sendingProject(house, smtp.port);
    await identify(project, "ada", { c: "c" });
    await identify(project, "bo", { b: "b", c: "c", s: "s" });
    const message = {
      subject: "{{ user.s }}",
      previewText: "{{ user.p }}",
      body: "[{{ user.b }}](https://shop.example/{{ user.l }})",
      cta: { label: "{{ user.c }}", url: "https://shop.example/{{ user['a b'] }}" },
    };
    const { id } = await launchEmail(project, { message, launch: false });
    assert.deepEqual(
      (await missingOf(project, id)).map(({ field, users, of: all }) => [field, users, all]),
      [
        ...["user.p", "user.l", 'user["a b"]'].map((name) => [name, 2, 2]),
        ...["user.s", "user.b"].map((name) => [name, 1, 2]),
      ],
    );
    const many = Array.from({ length: 25 }, (_, n) => `{{ user.f${n} }}`).join(" ");
    const { id: long } = await launchEmail(project, { message: mail(many), launch: false });
    const census = await project.api.takeCampaignCensus({ path: { id: long } });
    assert.deepEqual(
      [census.missing.length, census.missing[19]?.field, census.uncountedFields],
      [20, "user.f19", 5],
    );
    const { id: odd } = await launchEmail(project, { message: mail('{{ user["\\u0000"] }}'), launch: false });
    assert.deepEqual(
      (await missingOf(project, odd)).map(({ users, of: all }) => [users, all]),
      [[2, 2]],
    );
  });

  it("are those of what an agent proposes, where a person decides: with its texts and its weights", async () => {
    const project = await sendingProject(house, smtp.port);
    await identify(project, "ada", { name: "Ada" });
    await identify(project, "bo");
    const { id: goalId } = await makeGoal(project);
    const variants = [{ message: mail("A") }, { message: mail("{{ user.plan }}") }];
    const { campaign } = await project.api.createCampaign({
      body: { name: "News", channel: "email", goalId, variants },
    });
    const evaluationAt = house.now();
    const path = { id: campaign.id };
    await project.api.scheduleEvaluation({ path, body: { nextEvaluationAt: evaluationAt } });
    const { leaseToken } = await claim(project, campaign.id);
    const [a, b] = campaign.variants;
    const mutation = {
      type: "update" as const,
      variants: [
        { id: a?.id ?? "", weight: 1, message: mail("<b>{{ user.name }}</b>") },
        { id: b?.id ?? "", weight: 0 },
      ],
    };
    const { proposal } = await propose(project, { id: campaign.id, evaluationAt, leaseToken }, mutation);
    const { client } = await clientOf(house, project.projectId, "viewer");
    const census = await client.takeProposalCensus({ path: { id: proposal.id } });
    assert.deepEqual(census.missing, [lacking("user.name", 1, 2)]);
    const places = census.warnings.map(({ code, path: place }) => [code, place]);
    assert.deepEqual(places, [
      ["html_as_text", "/variants/0/content/body"],
      ["unobserved_trait", "/variants/1/content/body"],
    ]);
    assert.deepEqual((await project.api.getCampaign({ path })).campaign.variants[0]?.content, mail("A"));
    const other = await clientOf(house, (await house.project()).projectId, "viewer");
    const { status } = await refusal(other.client.takeProposalCensus({ path: { id: proposal.id } }));
    assert.equal(status, 404);
  });

  it("tell of a page's message who is left without a part of it, and who without all of it", async () => {
    const project = await house.project();
    await identify(project, "ada", { name: "Ada" });
    await identify(project, "bo");
    const partly = await launchCampaign(project, {
      message: { ...toast("Hi {{ user.name }}"), body: "News" },
    });
    assert.deepEqual(await missingOf(project, partly.id), [lacking("user.name", 1, 2)]);
    const wholly = await launchCampaign(project, { message: toast("{{ user.name }}") });
    const census = await project.api.takeCampaignCensus({ path: { id: wholly.id } });
    assert.deepEqual([census.willReceive, census.missing], [1, [lacking("user.name", 1, 2)]]);
    await messagesOf(project, "ada");
    assert.deepEqual(await missingOf(project, wholly.id), [lacking("user.name", 1, 1)]);
  });

  it("tell of a push why users get none, of those whom nothing else keeps from it", async () => {
    const project = await pushProject();
    for (const user of ["ada", "bo", "blank"]) await reachable(project, user);
    await reachable(project, "tokenless", { token: null });
    for (const user of ["ada", "nobodys"])
      await project.api.identify({ body: { userId: user, traits: { name: "A" } } });
    await project.api.identify({ body: { userId: "blank", traits: { name: " " } } });
    const message = { ...MESSAGE, title: "Hi {{ user.name }}", body: '{{ user.plan | default: "free" }}' };
    const { id } = await launchPush(project, {
      message,
      push: { appId: APP, selection: { kind: "all" } },
      launch: false,
    });
    const census = await project.api.takeCampaignCensus({ path: { id } });
    assert.deepEqual([census.willReceive, census.missing], [2, [lacking("user.name", 2, 3)]]);
  });
});
