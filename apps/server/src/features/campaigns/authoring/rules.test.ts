import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  applyAction,
  type CampaignStatus,
  type DeliveryWindow,
  type EffectiveStatus,
  effectiveStatus,
  patchVariant,
  type StatusAction,
  type VariantState,
  variantsFault,
  windowFault,
} from "./rules.ts";

const NOW = 1_768_478_400_000;

const ALWAYS: DeliveryWindow = { deliverFrom: null, deliverUntil: null };
const windows = {
  "no window": ALWAYS,
  "opens in 1 ms": { deliverFrom: NOW + 1, deliverUntil: null },
  "opens now": { deliverFrom: NOW, deliverUntil: null },
  "closes in 1 ms": { deliverFrom: null, deliverUntil: NOW + 1 },
  "closes now": { deliverFrom: null, deliverUntil: NOW },
  "open between": { deliverFrom: NOW - 1, deliverUntil: NOW + 1 },
  "over between": { deliverFrom: NOW - 2, deliverUntil: NOW - 1 },
  "later between": { deliverFrom: NOW + 1, deliverUntil: NOW + 2 },
} as const satisfies Record<string, DeliveryWindow>;
type WindowName = keyof typeof windows;
const WINDOW_NAMES = Object.keys(windows) as WindowName[];

describe("effectiveStatus", () => {
  const cases: Record<"running" | "paused", Record<WindowName, EffectiveStatus>> = {
    running: {
      "no window": "running",
      "opens in 1 ms": "scheduled",
      "opens now": "running",
      "closes in 1 ms": "running",
      "closes now": "expired",
      "open between": "running",
      "over between": "expired",
      "later between": "scheduled",
    },
    paused: {
      "no window": "paused",
      "opens in 1 ms": "paused",
      "opens now": "paused",
      "closes in 1 ms": "paused",
      "closes now": "expired",
      "open between": "paused",
      "over between": "expired",
      "later between": "paused",
    },
  };
  for (const status of ["running", "paused"] as const) {
    for (const name of WINDOW_NAMES) {
      it(`of a ${status} campaign, window ${name}: ${cases[status][name]}`, () => {
        assert.equal(effectiveStatus(status, windows[name], NOW), cases[status][name]);
      });
    }
  }
  for (const status of ["draft", "ended"] as const) {
    it(`of a ${status} campaign stays ${status}, whatever the window`, () => {
      for (const name of WINDOW_NAMES)
        assert.equal(effectiveStatus(status, windows[name], NOW), status, name);
    });
  }
});

describe("applyAction", () => {
  const next: Record<CampaignStatus, Record<StatusAction, CampaignStatus | null>> = {
    draft: { launch: "running", pause: null, end: "ended" },
    running: { launch: null, pause: "paused", end: "ended" },
    paused: { launch: "running", pause: null, end: "ended" },
    ended: { launch: null, pause: null, end: null },
  };
  const after = (action: StatusAction, status: CampaignStatus, window: DeliveryWindow): string | null => {
    const step = applyAction(action, status, window, NOW);
    return "next" in step ? step.next : null;
  };
  const isOver = (name: WindowName): boolean => name === "closes now" || name === "over between";

  for (const status of Object.keys(next) as CampaignStatus[]) {
    for (const action of Object.keys(next[status]) as StatusAction[]) {
      it(`${action} on a ${status} campaign: ${next[status][action] ?? "refused"}`, () => {
        for (const name of WINDOW_NAMES.filter((each) => !isOver(each)))
          assert.equal(after(action, status, windows[name]), next[status][action], name);
      });
    }
  }
  for (const status of ["running", "paused"] as const) {
    it(`leaves nothing but end to a ${status} campaign that has expired`, () => {
      for (const name of WINDOW_NAMES.filter(isOver)) {
        assert.equal(after("launch", status, windows[name]), null);
        assert.equal(after("pause", status, windows[name]), null);
        assert.equal(after("end", status, windows[name]), "ended");
      }
    });
  }
  it("says why it refuses", () => {
    for (const action of ["launch", "pause", "end"] as const) {
      assert.deepEqual(applyAction(action, "ended", ALWAYS, NOW), { refusal: "This campaign has ended." });
    }
  });
});

describe("windowFault", () => {
  const cases: readonly [DeliveryWindow, boolean, boolean][] = [
    [ALWAYS, true, true],
    [{ deliverFrom: NOW - 1, deliverUntil: null }, true, true],
    [{ deliverFrom: NOW + 1, deliverUntil: null }, true, true],
    [{ deliverFrom: null, deliverUntil: NOW + 1 }, true, true],
    [{ deliverFrom: null, deliverUntil: NOW }, true, false],
    [{ deliverFrom: null, deliverUntil: NOW - 1 }, true, false],
    [{ deliverFrom: NOW, deliverUntil: NOW + 1 }, true, true],
    [{ deliverFrom: NOW + 1, deliverUntil: NOW + 1 }, true, false],
    [{ deliverFrom: NOW + 2, deliverUntil: NOW + 1 }, true, false],
    [{ deliverFrom: NOW - 2, deliverUntil: NOW - 1 }, false, true],
    [{ deliverFrom: NOW - 1, deliverUntil: NOW - 1 }, false, false],
  ];
  for (const [window, newUntil, fits] of cases) {
    const shownInstant = (instant: number | null): string =>
      instant === null ? "none" : `${instant - NOW} ms`;
    const name = `from ${shownInstant(window.deliverFrom)}, ${newUntil ? "new " : ""}until ${shownInstant(window.deliverUntil)}`;
    it(`${name}: ${fits ? "fits" : "refused"}`, () => {
      assert.equal(windowFault(window, newUntil, NOW) === null, fits);
    });
  }
});

describe("variantsFault", () => {
  const control: VariantState = { name: "A", weight: 1, isControl: true };
  const variant = (name: string, weight = 1): VariantState => ({ name, weight, isControl: false });
  const many = (count: number): VariantState[] => [
    control,
    ...Array.from({ length: count - 1 }, (_, i) => variant(`V${i}`)),
  ];
  const cases: readonly [string, readonly VariantState[], boolean][] = [
    ["one control", [control], true],
    ["a control that is retired beside one that is not", [{ ...control, weight: 0 }, variant("B")], true],
    ["ten", many(10), true],
    ["eleven", many(11), false],
    ["no control", [variant("A"), variant("B")], false],
    ["two controls", [control, { ...control, name: "B" }], false],
    ["no weight", [{ ...control, weight: 0 }, variant("B", 0)], false],
    ["a name twice", [control, variant("A")], false],
    ["names that differ in case", [control, variant("a")], true],
  ];
  for (const [name, variants, fits] of cases) {
    it(`${name}: ${fits ? "fits" : "refused"}`, () => {
      assert.equal(variantsFault(variants) === null, fits);
    });
  }
});

describe("patchVariant", () => {
  const before = { id: "var_1", name: "A", weight: 3, isControl: true };
  it("changes what is named, zero and false included, and nothing else", () => {
    assert.deepEqual(patchVariant(before, {}), before);
    assert.deepEqual(patchVariant(before, { name: "B" }), { ...before, name: "B" });
    assert.deepEqual(patchVariant(before, { weight: 0 }), { ...before, weight: 0 });
    assert.deepEqual(patchVariant(before, { isControl: false }), { ...before, isControl: false });
  });
});
