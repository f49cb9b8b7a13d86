import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { labels } from "../src/features/settings/generated/declared.ts";
import {
  cleared,
  found,
  grouped,
  lastWeekSentences,
  refusedKey,
  type Setting,
  sentence,
  settingChanges,
  settingGroup,
  settingText,
  shownIn,
  typedInto,
  typedTiming,
  undone,
} from "../src/features/settings/rules.ts";
import { words } from "../src/features/settings/words.ts";

const setting = (given: Partial<Setting>): Setting => ({
  key: "email.capMax",
  value: 3,
  isDefault: true,
  fallback: 3,
  isSecret: false,
  meaning: "mails that one recipient gets",
  control: { kind: "text" },
  lastChange: null,
  ...given,
});
const secret = setting({ key: "email.smtpUrl", value: null, fallback: null, isSecret: true });

describe("every setting", () => {
  it("has a name for people, and a group", () => {
    const keys = [...Object.keys(labels), "identity.secret"];
    assert.deepEqual(Object.keys(words.labels), keys);
    assert.deepEqual(
      keys.filter((key) => settingGroup(key) === "other"),
      [],
    );
  });

  it("is in one group, in the order of the list, and a new kind of key is not lost", () => {
    const all = ["ai.prices", "email.from", "new.key", "agent.model", "email.capMax"].map((key) =>
      setting({ key }),
    );
    assert.deepEqual(
      grouped(all, false).map(({ name, settings }) => [name, settings.map(({ key }) => key)]),
      [
        ["email", ["email.from", "email.capMax"]],
        ["agent", ["ai.prices", "agent.model"]],
        ["other", ["new.key"]],
      ],
    );
  });

  it("is found by its key, its name and its meaning", () => {
    const all = [setting({}), secret];
    const keysOf = (q: string) => found(all, q, (key) => words.labels[key] ?? key).map(({ key }) => key);
    assert.deepEqual(keysOf(" CAPMAX "), ["email.capMax"]);
    assert.deepEqual(keysOf("mail server"), ["email.smtpUrl"]);
    assert.deepEqual(keysOf("one recipient"), ["email.capMax", "email.smtpUrl"]);
    assert.deepEqual(keysOf(""), ["email.capMax", "email.smtpUrl"]);
    assert.deepEqual(keysOf("none such"), []);
  });
});

describe("what is typed", () => {
  it("is a change as long as it differs from what is stored, whatever was typed between", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (typed, last) => {
        const own = setting({});
        const drafts = [...typed, last].reduce((all, text) => typedInto(all, own, text), {});
        assert.equal(shownIn(own, drafts), last);
        assert.equal(settingChanges([own], drafts).length, last === "3" ? 0 : 1);
        assert.deepEqual(undone(drafts, own), {});
      }),
    );
  });

  it("goes back to the default where it is empty", () => {
    const own = setting({ value: 5, isDefault: false });
    const drafts = cleared({}, own);
    assert.deepEqual(
      settingChanges([own], drafts).map(({ before, after }) => [before, after]),
      [[5, 3]],
    );
  });

  it("is never shown of a secret but as set, and an empty field of one that is set is a removal", () => {
    const drafts = typedInto({}, secret, "hunter2");
    assert.deepEqual(
      settingChanges([secret], drafts).map(({ before, after }) => [before, after]),
      [[null, "set"]],
    );
    assert.deepEqual(typedInto(drafts, secret, ""), {});
    const set = { ...secret, value: "set", isDefault: false };
    assert.equal(shownIn(set, {}), "");
    assert.deepEqual(
      settingChanges([set], cleared({}, set)).map(({ before, after }) => [before, after]),
      [["set", null]],
    );
  });

  it("is refused at the setting whose key the message begins with", () => {
    const all = [setting({}), secret];
    assert.equal(refusedKey("email.capMax must be a whole number", all), "email.capMax");
    assert.equal(refusedKey("changes must have 1 to 100 settings", all), null);
    assert.equal(refusedKey("", all), null);
  });
});

it("values and meanings are read by people", () => {
  const flag = setting({ control: { kind: "flag" } });
  assert.deepEqual(
    [true, "false", null, ""].map((value) => settingText(flag, value, words)),
    ["on", "off", "none", "none"],
  );
  assert.equal(settingText(setting({}), 0, words), "0");
  assert.equal(sentence("mails that leave"), "Mails that leave.");
});

describe("the last week under settings as they are typed", () => {
  const since = Date.UTC(2026, 0, 8, 12);

  it("is about those alone that say when messages leave", () => {
    const typed = { "time.quiet": "21:00-08:00", "pressure.max": "", "email.capMax": "3" };
    assert.deepEqual(typedTiming(typed), { "time.quiet": "21:00-08:00", "pressure.max": "" });
  });

  it("is a sentence for each that could have held something back", () => {
    const [left, quiet, pressure] = lastWeekSentences({
      since,
      messages: 1200,
      quiet: 140,
      pressure: 35,
      readers: 1,
    });
    assert.match(left ?? "", /^1,200 messages of campaigns left since .*, beside urgent ones\.$/);
    assert.equal(quiet, "140 of them would have waited for the end of quiet hours.");
    assert.equal(pressure, "35 of them would have waited because 1 reader had got enough.");
    assert.deepEqual(lastWeekSentences({ since, messages: 1, quiet: 0, pressure: 0, readers: 0 }).slice(1), [
      words.lastWeek.noQuiet,
      words.lastWeek.noPressure,
    ]);
    assert.equal(lastWeekSentences({ since, messages: 0, quiet: 0, pressure: 0, readers: 0 }).length, 1);
  });
});
