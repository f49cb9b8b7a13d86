import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandOf, PAGE_KEYS, type Pressed } from "../src/shell/palette/keys.pure.ts";
import { matches, matching, placeAfter } from "../src/shell/palette/palette.pure.ts";

const command = (key: string, more: Partial<Pressed> = {}) =>
  commandOf({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isTaken: false,
    areOn: true,
    isLed: false,
    ...more,
  });

describe("a key", () => {
  it("opens the palette with Ctrl or ⌘, in a field too, and where single keys are off", () => {
    assert.equal(command("k", { ctrlKey: true }), "palette");
    assert.equal(command("K", { metaKey: true, isTaken: true, areOn: false }), "palette");
    assert.equal(command("k", { ctrlKey: true, altKey: true }), null);
    assert.equal(command("k"), null);
  });

  it("opens a page by the letter after g", () => {
    assert.equal(command("g"), "lead");
    assert.deepEqual(command("c", { isLed: true }), { path: "campaigns" });
    assert.deepEqual(command("g", { isLed: true }), { path: "goals" });
    assert.equal(command("c"), null);
    assert.equal(command("z", { isLed: true }), null);
    assert.equal(command("?", { isLed: true }), "keys");
  });

  it("belongs to the field that has the focus, and does nothing where people turned them off", () => {
    for (const key of ["g", "/", "?"]) {
      assert.notEqual(command(key), null);
      assert.equal(command(key, { isTaken: true }), null);
      assert.equal(command(key, { areOn: false }), null);
      for (const modifier of ["ctrlKey", "metaKey", "altKey"] as const)
        assert.equal(command(key, { [modifier]: true }), null);
    }
    assert.equal(command("c", { isLed: true, isTaken: true }), null);
  });

  it("has one page at most", () => {
    const pageKeys = Object.values(PAGE_KEYS);
    assert.equal(new Set(pageKeys).size, pageKeys.length);
  });
});

describe("the palette", () => {
  it("finds by every word that was typed, without regard to case and accents", () => {
    assert.ok(matches("New campaign", "camp new"));
    assert.ok(matches("Écran d'accueil", "ecran"));
    assert.ok(matches("Audit log", ""));
    assert.ok(matches("Audit log", " l "));
    assert.ok(!matches("Audit log", "u"));
    assert.ok(!matches("Audit log", "audit x"));
  });

  it("leaves out kinds without anything that is called so", () => {
    const groups = [
      { group: "Pages", choices: [{ id: "1", label: "Users" }] },
      { group: "Actions", choices: [{ id: "2", label: "Invite" }] },
    ];
    assert.deepEqual(matching(groups, "inv"), groups.slice(1));
    assert.deepEqual(matching(groups, "none"), []);
  });

  it("finds parts of pages by other words for them, once something is typed", () => {
    const place = { id: "1", label: "Gets no mail", also: "unsubscribed opted out", isSought: true } as const;
    const groups = [{ group: "Parts of pages", choices: [place] }];
    for (const typed of ["unsub", "mail gets", "opt unsub"])
      assert.deepEqual(matching(groups, typed), groups);
    for (const typed of ["", " ", "unsubscribed sender"]) assert.deepEqual(matching(groups, typed), []);
  });

  it("goes round at both ends", () => {
    assert.equal(placeAfter("ArrowDown", 2, 3), 0);
    assert.equal(placeAfter("ArrowUp", 0, 3), 2);
    assert.equal(placeAfter("End", 0, 3), 2);
    assert.equal(placeAfter("Home", 2, 3), 0);
    assert.equal(placeAfter("ArrowDown", 0, 0), null);
    assert.equal(placeAfter("a", 0, 3), null);
  });
});
