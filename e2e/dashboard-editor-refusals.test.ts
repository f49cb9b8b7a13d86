import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inWords } from "../apps/dashboard/src/platform/faults.ts";
import { toast } from "../apps/server/test/factories.ts";
import { testHouse } from "../apps/server/test/harness.ts";

const house = testHouse();

describe("what is refused in the editor", () => {
  const cta = { label: "Go", url: "https://shop.example/" };
  const mail = { subject: "Hello", body: "Hello", cta };
  const push = {
    title: "Hello",
    body: "Hello",
    destination: { kind: "website", url: "https://shop.example/" },
  };
  const wrongTexts = [
    "",
    " ",
    "x".repeat(60_000),
    "{{ user.id",
    "{% if %}",
    "/plans",
    "javascript:x",
    "\u202e",
  ];
  const messages = { web_inapp: { ...toast(), body: "Hello", cta }, email: mail, push };
  /** A message with each of its texts made wrong in turn. */
  function* wronged(message: object): Generator<object> {
    for (const [name, value] of Object.entries(message))
      if (typeof value === "object") for (const part of wronged(value)) yield { ...message, [name]: part };
      else for (const wrong of wrongTexts) yield { ...message, [name]: wrong };
  }

  it("is said with the names that the form has, and never with a path", async () => {
    const project = await house.project();
    const sentences = new Set<string>();
    const send = (body: object) =>
      fetch(`${house.url}/api/v1/campaigns`, {
        method: "POST",
        headers: { authorization: `Bearer ${project.secretKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).then(async (response) => response.ok || sentences.add(inWords((await response.json()).error)));
    const base = { name: "Spring", goalId: null };
    for (const [channel, message] of Object.entries(messages)) {
      const settings = channel === "push" ? { push: { appId: "app", selection: { kind: "all" } } } : {};
      for (const wrong of wronged(message))
        await send({ ...base, ...settings, channel, variants: [{ message: wrong }] });
    }
    const web = { ...base, message: toast() };
    for (const wrong of [
      { name: "" },
      { goalId: "goal_none" },
      { pages: ["x y"] },
      { deliverFrom: house.now() + 2_000, deliverUntil: house.now() + 1_000 },
      { deliverUntil: 1 },
      { audience: { kind: "segment", segment: "" } },
      { message: { ...toast(), media: { url: "none", decorative: true } } },
      { variants: [{ name: "", message: toast() }], message: undefined },
      { variants: [{ weight: 0, message: toast() }], message: undefined },
      { variants: ["A", "A"].map((name) => ({ name, message: toast() })), message: undefined },
    ])
      await send({ ...web, ...wrong });
    for (const wrong of [
      { appId: "", selection: { kind: "all" } },
      { appId: "app", selection: { kind: "specific", installationId: "" } },
      { appId: "app", selection: { kind: "all" }, ttlSeconds: 0 },
      { appId: "app", selection: { kind: "all" }, replacementKey: "x".repeat(100) },
    ])
      await send({ ...base, channel: "push", push: wrong, message: push });
    assert.ok(sentences.size > 40, [...sentences].join("\n"));
    const paths = [...sentences].filter((each) => /^[a-z]|^\S*[.[/]\S* (?:must|is)|\b[a-z]+[A-Z]/.test(each));
    assert.deepEqual(paths, [], "each begins with the name of a field");
  });
});
