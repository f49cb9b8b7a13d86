import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readChanges } from "../src/features/settings/rules.ts";
import { type SettingGroup, type SettingValue, typedText } from "../src/platform/settings/setting.ts";

/** What a setting keeps of texts that its rule allows, texts that it refuses, and the rule in words. */
export type SettingCases = {
  good: readonly (readonly [typed: string, kept: SettingValue])[];
  bad: readonly string[];
  rule: string;
};

/** Texts that no setting takes for a number. */
export const BAD_NUMBERS = [
  "x",
  "-1",
  "1.5",
  "1e2",
  "0x10",
  "+1",
  "01",
  "1 000",
  "1,000",
  "١",
  "null",
  "true",
  "99999999999999999999",
];
/** Texts that no setting takes for true or false. */
export const BAD_WORDS = ["True", "1", "yes", "on", "null", "truefalse"];

/** Tests each setting of a room by its cases, of which none may be left out. */
export function testSettings(group: SettingGroup, cases: Readonly<Record<string, SettingCases>>): void {
  const keptOf = (key: string, typed: string): SettingValue => {
    const values = readChanges([group], { [key]: typed });
    if ("fault" in values) return assert.fail(values.fault);
    return values.get(key) ?? null;
  };
  it("has cases for each of its settings", () => {
    assert.deepEqual(Object.keys(cases).sort(), Object.keys(group.settings).sort());
  });
  for (const [key, { good, bad, rule }] of Object.entries(cases))
    describe(key, () => {
      it("keeps what its rule allows, in one spelling that reads back as itself", () => {
        for (const [typed, kept] of good) {
          assert.equal(keptOf(key, typed), kept, typed);
          if (kept !== null) assert.equal(keptOf(key, typedText(kept)), kept, "what is shown may be typed");
        }
      });
      for (const typed of bad) {
        it(`refuses ${JSON.stringify(typed).slice(0, 50)} with its name and rule`, () => {
          assert.deepEqual(readChanges([group], { [key]: typed }), { fault: `${key} ${rule}` });
        });
      }
      it("is cleared by an empty text", () => assert.equal(keptOf(key, ""), null));
    });
}
