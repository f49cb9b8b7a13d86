import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type CampaignTexts,
  editedByOthers,
  patched,
  replaced,
  type TextPatch,
  textsOfContent,
  undoing,
  type Written,
} from "./edits.pure.ts";

const texts = (title: string, name = "Name"): CampaignTexts => ({
  name,
  variants: [{ id: "var_1", content: { presentation: "toast", title, cta: { label: "Look" } } }],
});

/** The texts of a campaign that was just written, and how. */
function written(made: CampaignTexts): Written[] {
  const edits = made.variants.flatMap(({ id, content }) => textsOfContent(id, content));
  return [{ edits, nameEdit: { before: "", after: made.name } }];
}

/** A campaign after a patch, and what the patch wrote; null where it is refused. */
function apply(before: CampaignTexts, patch: TextPatch): { texts: CampaignTexts; written: Written } | null {
  const done = patched(before, patch);
  if ("fault" in done) return null;
  const { name, variants, edits } = done;
  return {
    texts: {
      name: name ?? before.name,
      variants: before.variants.map(({ id, content }) => ({
        id,
        content: variants.find((each) => each.id === id)?.message ?? content,
      })),
    },
    written: { edits, nameEdit: patch.name ?? null },
  };
}

const editing = (...edits: [before: string, after: string][]): TextPatch => ({
  variants: [
    { id: "var_1", edits: edits.map(([before, after]) => ({ field: "title" as const, before, after })) },
  ],
});

describe("replacements", () => {
  it("are all about the text as it is, in any order", () => {
    assert.deepEqual(
      replaced("one two three", [
        { before: "three", after: "one" },
        { before: "one", after: "three" },
      ]),
      { text: "three two one" },
    );
  });
  it("need their text to stand there once, and keep off each other", () => {
    assert.deepEqual(replaced("aa", [{ before: "a", after: "b" }]), {
      at: 0,
      fault: "must stand in the text exactly once",
    });
    assert.deepEqual(
      replaced("aXa aYa", [
        { before: "aXa", after: "" },
        { before: "a aY", after: "" },
      ]),
      {
        at: 1,
        fault: "must not overlap with another edit",
      },
    );
    assert.deepEqual(replaced("ana na", [{ before: "ana", after: "" }]), { text: " na" });
    // It stands there twice where the second one begins within the first.
    assert.ok("fault" in replaced("anana", [{ before: "ana", after: "" }]));
  });
});

describe("undoing", () => {
  const made = texts("Dark mode is here");
  const changed = apply(made, { ...editing(["Dark", "Light"]), name: { before: "Name", after: "New" } });
  it("gives the texts back as they were", () => {
    assert.ok(changed);
    const { patch, isExact } = undoing(changed.texts, [changed.written]);
    assert.equal(isExact, true);
    assert.deepEqual(apply(changed.texts, patch)?.texts, made);
  });
  it("leaves alone what people have written since, and says that it is not all", () => {
    assert.ok(changed);
    const renamed = { ...changed.texts, name: "By a person" };
    const byName = undoing(renamed, [changed.written]);
    assert.deepEqual([byName.isExact, byName.patch.name], [false, undefined]);
    assert.deepEqual(apply(renamed, byName.patch)?.texts, { ...made, name: "By a person" });
    const rewritten = { ...texts("Bright mode is here"), name: "New" };
    const byTitle = undoing(rewritten, [changed.written]);
    assert.deepEqual([byTitle.isExact, byTitle.patch.variants], [false, undefined]);
    assert.equal(apply(rewritten, byTitle.patch)?.texts.name, "Name");
  });
  it("cannot find what was deleted", () => {
    const shorter = apply(made, editing([" is here", ""]));
    assert.ok(shorter);
    assert.deepEqual(undoing(shorter.texts, [shorter.written]), { patch: {}, isExact: false });
  });
});

describe("random stories of edits", () => {
  const word = fc.constantFrom("dark", "mode", "is", "here", "now", "a", "light");
  const title = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
  const story = fc.record({ first: title, edits: fc.array(fc.tuple(word, title), { maxLength: 6 }) });

  it("can be undone wherever that is said to be exact, and no person is said to have edited", () => {
    let undone = 0;
    fc.assert(
      fc.property(story, ({ first, edits }) => {
        const made = texts(first);
        let now = made;
        const all = written(made);
        for (const [before, after] of edits) {
          const next = apply(now, editing([before, after]));
          if (next === null) continue;
          now = next.texts;
          all.push(next.written);
        }
        assert.deepEqual(editedByOthers(now, "", all), []);
        // What was written last can be found where it stands once.
        const last = all.at(-1);
        if (last !== undefined && all.length === 2) {
          const { patch, isExact } = undoing(now, [last]);
          if (isExact) {
            undone += 1;
            assert.deepEqual(apply(now, patch)?.texts, made);
          }
        }
        const byPerson = texts(`${now.variants[0]?.content.title} and more`, "Renamed");
        assert.deepEqual(editedByOthers(byPerson, "", all), ["name", "var_1.title"]);
      }),
      { numRuns: 500 },
    );
    assert.ok(undone > 20, `${undone} stories were undone`);
  });
});
