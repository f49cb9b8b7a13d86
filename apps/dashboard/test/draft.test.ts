import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type CampaignDraft,
  campaignBody,
  type DraftVariant,
  differencesOf,
  newCampaignDraft,
  newTemplateDraft,
  type Patch,
  patchOf,
  withIds,
  withNewVariant,
  withVariant,
} from "../src/features/campaigns/editor/draft.ts";
import { faultAt } from "../src/platform/faults.ts";
import { instantOf, localTimeOf } from "../src/platform/times.ts";
import { ctaWith, destinationOf, linkOf, messageOf, wrapped } from "../src/ui/message-fields/content.ts";

const contents = fc.record({
  presentation: fc.constantFrom("toast", "modal"),
  title: fc.string({ maxLength: 8 }),
  body: fc.string({ maxLength: 8 }),
  cta: fc.record({ label: fc.string({ maxLength: 4 }), url: fc.constantFrom("", "/a", "/b") }),
});

/** Drafts of one campaign of a channel: its variants are known to the server, and have one control. */
const draftsOf = (channel: CampaignDraft["channel"]) => {
  // What campaigns on the web have as it is.
  const ofMessages = <Value>(usual: Value, any: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
    channel === "web_inapp" ? fc.constant(usual) : any;
  return fc
    .record({
      name: fc.string({ minLength: 1, maxLength: 5 }),
      audience: fc.constantFrom<CampaignDraft["audience"]>(
        { kind: "all" },
        { kind: "segment", segment: "payers", version: 2 },
        { kind: "expression", expression: { version: 1, root: { kind: "event", event: "seen" } } },
      ),
      visitors:
        channel === "web_inapp"
          ? fc.constantFrom<CampaignDraft["visitors"]>("none", "also", "only")
          : fc.constant<CampaignDraft["visitors"]>("none"),
      pages: channel === "web_inapp" ? fc.constantFrom("", "/a", "/a\n/b", " /a \n\n") : fc.constant(""),
      goalId: fc.constantFrom(null, "goal_1"),
      topicId: channel === "web_inapp" ? fc.constant(null) : fc.constantFrom(null, "top_1"),
      once: channel === "web_inapp" ? fc.constant(false) : fc.boolean(),
      deliverFrom: fc.constantFrom(null, 1, 2),
      deliverUntil: fc.constantFrom(null, 3, 4),
      sendTime: ofMessages(
        null,
        fc.constantFrom<CampaignDraft["sendTime"]>(
          null,
          { at: "09:00", zone: "user" },
          { at: "09:00", zone: "Europe/Berlin", weekdays: ["mon", "fri"] },
        ),
      ),
      priority: ofMessages(3, fc.integer({ min: 1, max: 5 })),
      patienceHours: ofMessages(72, fc.constantFrom(1, 72, 720)),
      urgent: ofMessages(false, fc.boolean()),
      control: fc.nat(2),
      variants: fc.array(
        fc.record({ name: fc.string({ maxLength: 3 }), weight: fc.nat(5), content: contents }),
        {
          minLength: 3,
          maxLength: 3,
        },
      ),
    })
    .map(
      ({ control, variants, ...rest }): CampaignDraft => ({
        channel,
        push: null,
        template: null,
        ...rest,
        variants: variants.map((variant, index) => ({
          ...variant,
          id: `var_${index}`,
          isControl: index === control,
        })),
      }),
    );
};

/** What the server makes of a campaign by a PATCH, in the form in which a request would make it. */
function patched(before: CampaignDraft, { variants = [], ...fields }: Patch) {
  const made = campaignBody(before);
  const moves = variants.some(({ isControl }) => isControl === true);
  const known = before.variants.map(({ id, ...variant }) => ({
    id,
    name: variant.name,
    weight: variant.weight,
    message: messageOf(variant.content),
    isControl: variant.isControl && !moves,
  }));
  for (const { id, ...change } of variants) {
    const index = known.findIndex((variant) => variant.id === id);
    if (index >= 0) known[index] = { ...(known[index] as (typeof known)[number]), ...change };
  }
  return { ...made, ...fields, variants: known.map(({ id: _, ...variant }) => variant) };
}

describe("the change that is sent", () => {
  it("makes the campaign what the form has, and is none where nothing differs", () => {
    const two = fc
      .constantFrom<CampaignDraft["channel"]>("web_inapp", "email")
      .chain((channel) => fc.tuple(draftsOf(channel), draftsOf(channel)));
    fc.assert(
      fc.property(two, ([before, after]) => {
        const patch = patchOf(before, after);
        const sent = JSON.stringify(campaignBody(before)) !== JSON.stringify(campaignBody(after));
        assert.equal(patch !== null, sent);
        if (patch !== null) assert.deepEqual(patched(before, patch), { ...campaignBody(after) });
        assert.equal(patchOf(after, after), null);
      }),
    );
  });

  it("has whole variants where the server knows none yet, and knows them by its ids from then on", () => {
    const before = { ...newCampaignDraft("email"), name: "Mail" };
    const after = withNewVariant(before);
    const saved = {
      variants: after.variants.map((variant, index) => ({ ...variant, id: `var_${index}` })),
    } as never;
    const known = withIds(before, saved);
    const patch = patchOf(known, withIds(withNewVariant(known), { variants: [] }));
    assert.deepEqual(
      patch?.variants?.map(({ name, weight, isControl }) => [name, weight, isControl]),
      [["B", 1, false]],
    );
    const both = withIds(after, saved);
    const renamed = withVariant(both, 1, { name: "Short" });
    assert.deepEqual(patchOf(both, renamed), { variants: [{ id: "var_1", name: "Short" }] });
    const moved = withVariant(both, 1, { isControl: true });
    assert.deepEqual(
      moved.variants.map(({ isControl }: DraftVariant) => isControl),
      [false, true],
    );
    assert.deepEqual(patchOf(both, moved), { variants: [{ id: "var_1", isControl: true }] });
  });

  it("says of a new campaign by mail that it is sent once, and nothing of it on the web", () => {
    const onceOf = (channel: CampaignDraft["channel"]) => campaignBody(newCampaignDraft(channel)).once;
    assert.deepEqual([onceOf("email"), onceOf("push"), onceOf("web_inapp")], [true, false, undefined]);
  });

  it("says of mail and pushes when they leave, and nothing of it on the web or of a template", () => {
    const sendTime = { at: "08:30", zone: "user", weekdays: ["mon"] } as const;
    const when = { sendTime: { ...sendTime, weekdays: ["mon" as const] }, priority: 5, patienceHours: 6 };
    const bodyOf = (draft: CampaignDraft) => {
      const body = campaignBody({ ...draft, ...when, urgent: true });
      return [body.sendTime?.at, body.priority, body.patienceHours, body.urgent];
    };
    const none = [undefined, undefined, undefined, undefined];
    assert.deepEqual(bodyOf(newCampaignDraft("email")), ["08:30", 5, 6, true]);
    assert.deepEqual(bodyOf(newCampaignDraft("push")), ["08:30", 5, 6, true]);
    assert.deepEqual(bodyOf(newCampaignDraft("web_inapp")), none);
    assert.deepEqual(bodyOf(newTemplateDraft()), none);
  });

  it("leaves an audience alone that cannot be read, until another one is chosen", () => {
    const saved = { variants: [{ id: "var_1" }] } as never;
    const before = withIds({ ...newCampaignDraft("web_inapp"), audience: { kind: "invalid" } }, saved);
    assert.deepEqual(patchOf(before, { ...before, name: "New" }), { name: "New" });
    assert.deepEqual(patchOf(before, { ...before, audience: { kind: "all" } }), {
      audience: { kind: "all" },
    });
  });

  it("leaves out parts of a message that nothing is written in", () => {
    const { variants, push } = campaignBody(newCampaignDraft("push"));
    assert.deepEqual(variants?.[0]?.message, {
      title: "",
      body: "",
      destination: { kind: "website", url: "" },
    });
    assert.deepEqual(push, { appId: "", selection: { kind: "last_active" } });
    const empty = {
      previewText: "",
      cta: { label: "", url: "" },
      media: { url: "", decorative: true },
      image: "",
    };
    assert.deepEqual(messageOf({ subject: "", body: "", ...empty }), { subject: "", body: "" });
    assert.deepEqual(messageOf({ title: "x", cta: { label: "Go" } }), { title: "x", cta: { label: "Go" } });
  });

  it("names what differs", () => {
    fc.assert(
      fc.property(draftsOf("web_inapp"), draftsOf("web_inapp"), (one, other) => {
        const fields = differencesOf(one, other);
        for (const field of ["name", "visitors", "pages", "goalId", "deliverFrom", "deliverUntil"] as const)
          assert.equal(fields.includes(field), one[field] !== other[field], field);
      }),
    );
  });
});

describe("fields", () => {
  it("show the link that they are given, however it is stored", () => {
    for (const [link, stored] of [
      ["/pricing", { url: "/pricing" }],
      ["mailto:me@example.com", { url: "mailto:me@example.com" }],
      ["http://example.com", { url: "http://example.com" }],
      ["https://example.com", { destination: { kind: "website", url: "https://example.com" } }],
      ["acme://plans", { destination: { kind: "app", url: "acme://plans" } }],
      ["", {}],
    ] as const) {
      const cta = ctaWith({ label: "Go", url: "/old" }, link);
      assert.deepEqual(cta, { label: "Go", ...stored });
      assert.equal(linkOf(cta), link);
    }
    assert.equal(destinationOf("acme://news").kind, "app");
    assert.equal(destinationOf("https://example.com").kind, "website");
  });

  it("show an instant in the zone of the reader, to the minute", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        const minute = Math.floor(seconds / 60) * 60_000;
        assert.equal(instantOf(localTimeOf(minute)), minute);
      }),
    );
    assert.equal(localTimeOf(null), "");
    assert.equal(instantOf(""), null);
  });

  it("get what a refusal says of them", () => {
    const message = "message.title must have at most 120 characters";
    assert.equal(faultAt(message, "message.title"), "must have at most 120 characters");
    assert.equal(faultAt(message, "message"), undefined);
    assert.equal(faultAt("goalId: no such goal", "goalId"), "no such goal");
    assert.equal(faultAt(null, "name"), undefined);
  });

  it("write around what is selected, and select it again", () => {
    const bold = { before: "**", after: "**", stands: "bold" };
    assert.deepEqual(wrapped("say hello", 4, 9, bold), { text: "say **hello**", from: 6, to: 11 });
    assert.deepEqual(wrapped("say ", 4, 4, bold), { text: "say **bold**", from: 6, to: 10 });
  });
});
