import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";

const house = testHouse();

const contentFor = async ({ sdk }: TestProject, userId: string) => {
  const { messages } = await sdk.getMessages({ query: { userId } });
  return messages.map(({ content }) => content);
};

const greeting = {
  presentation: "toast",
  title: 'Hello {{ user.name | default: "there" }}',
  body: "You are on {{ user.plan | upcase }}.",
  cta: {
    label: 'Upgrade {{ user["company name"] }}',
    destination: { kind: "website", url: "https://a.example/" },
  },
} as const;

describe("personal fields of a web message", () => {
  it("are filled in for each user, with fallbacks, also when the message is served again", async () => {
    const project = await house.project();
    await launchCampaign(project, { message: greeting });
    await project.sdk.identify({
      body: { userId: "ada", traits: { name: "Ada", plan: "pro", "company name": "Acme" } },
    });
    const { destination } = greeting.cta;
    const filled = {
      presentation: "toast",
      title: "Hello Ada",
      body: "You are on PRO.",
      cta: { label: "Upgrade Acme", destination },
    };
    assert.deepEqual(await contentFor(project, "ada"), [filled]);
    await project.sdk.identify({ body: { userId: "ada", traits: { name: "Countess" } } });
    assert.deepEqual(await contentFor(project, "ada"), [{ ...filled, title: "Hello Countess" }]);
    assert.deepEqual(await contentFor(project, "nobody-known"), [
      {
        presentation: "toast",
        title: "Hello there",
        body: "You are on .",
        cta: { label: "Upgrade ", destination },
      },
    ]);
    assert.deepEqual(await house.differences(), {});
  });

  it("keep a text within its limit, and say values as they are: text, and no fields of their own", async () => {
    const project = await house.project();
    await launchCampaign(project, {
      message: { presentation: "modal", title: "{{ user.name }}", body: "For you" },
    });
    const name = "<b>{{ user.id }}</b> 🎉";
    const traits = { name: `${name}${"x".repeat(200)}` };
    await project.api.identify({ body: { userId: "long", traits } });
    const [content] = await contentFor(project, "long");
    const title = String(content?.title);
    assert.equal([...title].length, 120);
    assert.ok(title.startsWith(name) && title.endsWith("x…"), title);
    await project.api.identify({ body: { userId: "family", traits: { name: `a${"👨‍👩‍👧‍👦".repeat(30)}` } } });
    const [family] = await contentFor(project, "family");
    assert.equal(family?.title, `a${"👨‍👩‍👧‍👦".repeat(16)}…`, "no part of a family");
  });

  it("leave out a stranger's texts that are long or hold an address, and a button that would say nothing", async () => {
    const project = await house.project();
    await launchCampaign(project, {
      message: { ...greeting, cta: { ...greeting.cta, label: "{{ user.offer }}" } },
    });
    await project.sdk.identify({
      body: { userId: "mallory", traits: { name: "see https://evil.example", plan: "free" } },
    });
    const [content] = await contentFor(project, "mallory");
    assert.deepEqual(content, { presentation: "toast", title: "Hello there", body: "You are on FREE." });
  });

  it("are no message for whom nothing is left to say, until there is", async () => {
    const project = await house.project();
    await launchCampaign(project, { message: { presentation: "toast", title: "{{ user.offer }}" } });
    assert.deepEqual(await contentFor(project, "ada"), []);
    assert.equal((await project.api.listUsers()).total, 0, "no delivery was made");
    await project.sdk.identify({ body: { userId: "ada", traits: { offer: "Half the price" } } });
    assert.deepEqual(await contentFor(project, "ada"), [{ presentation: "toast", title: "Half the price" }]);
  });

  it("are refused where they cannot be read, by the name of the text", async () => {
    const project = await house.project();
    for (const [message, at] of [
      [{ presentation: "toast", title: "Hello {{ user.name" }, /^message\.title must close every \{\{/],
      [
        { presentation: "toast", body: "{% if user.plan %}x{% endif %}" },
        /^message\.body must not use \{% if %\}/,
      ],
      [
        { presentation: "toast", title: "x", cta: { label: "{{ name }}" } },
        /^message\.cta\.label must not use \{\{ name \}\}/,
      ],
    ] as const) {
      const { status, error } = await refusal(
        project.api.createCampaign({ body: { name: "Fields", message } }),
      );
      assert.equal(status, 400);
      assert.match(error, at);
    }
  });

  it("of a message from before there were fields are what they say", async () => {
    const project = await house.project();
    const { id, variants } = await launchCampaign(project, {
      message: { presentation: "toast", title: "Sale" },
    });
    await house.database.pool.query(
      `update variants set content = content || '{"title": "Use {{ braces"}' where id = $1`,
      [variants[0]?.id.replace("var_", "")],
    );
    // After a change of the campaign, it is compiled again.
    await project.api.updateCampaign({ path: { id }, body: { name: "Another name" } });
    assert.deepEqual(await contentFor(project, "ada"), [{ presentation: "toast", title: "Use {{ braces" }]);
  });
});
