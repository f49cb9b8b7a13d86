import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { SETTING_TOPICS } from "../../src/domain/setting-topics.ts";
import { readChanges } from "../../src/features/settings/rules.ts";
import { settingGroups } from "../../src/features.ts";
import { isOrganizationKey, typedText } from "../../src/platform/settings/setting.ts";

const SOURCES = new URL("../../src/", import.meta.url);
const RUNNING = readFileSync(new URL("../../../../docs/running.md", import.meta.url), "utf8");

const declared = settingGroups.flatMap((group) =>
  Object.entries(group.settings).map(([key, setting]) => ({ group, key, setting })),
);
const prefixOf = (key: string): string | undefined => key.split(".")[0];

describe("the settings of all rooms", () => {
  it("have each a key of their own, whose first part is one room's alone", () => {
    const keys = declared.map(({ key }) => key);
    assert.deepEqual([...new Set(keys)], keys);
    for (const { group, key } of declared) {
      assert.match(key, /^[a-z]{1,20}\.[A-Za-z]{1,30}$/, "a refusal names keys of this form");
      const rooms = declared.filter((other) => prefixOf(other.key) === prefixOf(key));
      assert.ok(
        rooms.every((other) => other.group === group),
        `${key}: another room has this prefix`,
      );
    }
  });

  it("are brought into the house by the room that declares them", async () => {
    const files = globSync("features/**/settings.pure.ts", { cwd: SOURCES });
    assert.ok(files.length > 5);
    const house = new Set<unknown>(declared.map(({ setting }) => setting));
    const isSetting = (value: unknown): boolean =>
      typeof value === "object" && value !== null && "parse" in value && "meaning" in value;
    for (const file of files) {
      const exported: Record<string, unknown> = await import(new URL(file, SOURCES).href);
      const sets = Object.values(exported).filter((each) => typeof each === "object" && each !== null);
      const left = sets.flatMap((set) =>
        Object.entries(set).filter(([, value]) => isSetting(value) && !house.has(value)),
      );
      assert.deepEqual(
        left.map(([key]) => key),
        [],
        `${file}: list its group under settings in the index of the room`,
      );
    }
  });

  it("stand under a topic, in the order of the topics, with those first that are looked for first", () => {
    const topics = [...new Set(declared.map(({ group }) => group.topic))];
    assert.deepEqual(topics, Object.keys(SETTING_TOPICS));
    for (const [topic, { first }] of Object.entries(SETTING_TOPICS)) {
      const places = declared.flatMap(({ group }, place) => (group.topic === topic ? place : []));
      const [begin = Number.NaN] = places;
      assert.deepEqual(
        places,
        places.map((_, place) => begin + place),
        `${topic} is in pieces`,
      );
      if (first !== undefined) assert.ok(declared[begin]?.key.startsWith(first), `${topic}: ${first}`);
    }
  });

  for (const { group, key, setting } of declared)
    describe(key, () => {
      it("says what people call it and what it is for, in docs/running.md too", () => {
        assert.match(setting.label, /^[A-Z].*[^.]$/);
        assert.match(setting.meaning, /[^.]$/, "one line, to which the dashboard gives a full stop");
        assert.doesNotMatch(setting.meaning, /\n/);
        assert.ok(setting.meaning.length > 10 && setting.meaning.length <= 1_000);
        assert.ok(RUNNING.includes(`\`${key}\``), "it has no line in docs/running.md");
      });

      it("has a default that may be typed", () => {
        if (setting.fallback === null) return;
        const read = readChanges([group], { [key]: typedText(setting.fallback) });
        assert.ok(read instanceof Map, JSON.stringify(read));
        assert.equal(read.get(key), setting.fallback);
      });

      it("is in clear where it is the organization's, which has no seal", () => {
        assert.ok(!isOrganizationKey(key) || setting.secret !== true);
      });

      it("names a host of a text without one as none", () => {
        assert.equal(setting.hostIn?.("") ?? null, null);
      });
    });
});
