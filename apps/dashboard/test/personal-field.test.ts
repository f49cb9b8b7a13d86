import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { fillField, parseTemplate } from "../../server/src/features/content/template/template.pure.ts";
import { personalField } from "../src/ui/message-fields/personal-field.pure.ts";

describe("a personal field that is chosen", () => {
  it("is one that templates read: the trait, or what stands there without it", () => {
    const names = fc.oneof(
      fc.constantFrom("first_name", "favourite colour", 'a"b', "x}}", "plan"),
      fc.string({ minLength: 1, maxLength: 12 }),
    );
    fc.assert(
      fc.property(names, fc.string({ minLength: 1, maxLength: 60 }), (trait, fallback) => {
        const template = parseTemplate(personalField(trait, fallback));
        assert.ok("parts" in template, JSON.stringify(template));
        const [field] = template.parts.filter((part) => typeof part !== "string");
        assert.ok(field);
        assert.equal(field.trait, trait);
        assert.equal(fillField(field, { traits: {} } as never), fallback);
      }),
      { numRuns: 500 },
    );
  });

  it("is as short as it may be", () => {
    assert.equal(personalField("first_name", "there"), '{{ user.first_name | default: "there" }}');
    assert.equal(personalField("plan", ""), "{{ user.plan }}");
  });
});
