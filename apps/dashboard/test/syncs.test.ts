import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  firstDraft,
  freeName,
  isComplete,
  type Sync,
  sentOf,
  slugOf,
  spanOfWindow,
  syncStandingOf,
  toggled,
  writtenUntil,
} from "../src/features/syncs/rules.ts";

const HOUR_MS = 3_600_000;

const sync = (given: Partial<Sync>): Sync => ({
  id: "sync_1",
  lists: ["events", "users"],
  format: "parquet",
  every: "hour",
  to: { folder: "shop" },
  history: true,
  state: "on",
  isWriting: false,
  dueAt: 0,
  succeededAt: HOUR_MS,
  failingSince: null,
  fault: null,
  progress: [],
  createdAt: 0,
  changedAt: 0,
  ...given,
});

const progress = (list: Sync["lists"][number], until: number | null) => ({
  list,
  writtenUntil: until,
  rows: 0,
  bytes: 0,
});

describe("how a sync is", () => {
  it("is off before all else, and failing before it is writing", () => {
    assert.equal(syncStandingOf(sync({ state: "off", failingSince: 1 })), "off");
    assert.equal(syncStandingOf(sync({ failingSince: 1, isWriting: true })), "failing");
    assert.equal(syncStandingOf(sync({ isWriting: true })), "writing");
    assert.equal(syncStandingOf(sync({ succeededAt: null })), "begins");
    assert.equal(syncStandingOf(sync({})), "current");
  });

  it("goes by its events, or by the list that is furthest behind", () => {
    const events = progress("events", 2 * HOUR_MS);
    const users = progress("users", HOUR_MS);
    assert.equal(writtenUntil({ progress: [users, events] }), 2 * HOUR_MS);
    assert.equal(writtenUntil({ progress: [users, progress("runs", 3 * HOUR_MS)] }), HOUR_MS);
    assert.equal(writtenUntil({ progress: [users, progress("events", null)] }), null);
  });

  it("is told of a window by what it contains", () => {
    const until = 2 * HOUR_MS;
    assert.deepEqual(spanOfWindow({ list: "events", since: null, until }), { kind: "before", until });
    assert.deepEqual(spanOfWindow({ list: "events", since: 0, until }), { kind: "arrived", since: 0, until });
    assert.deepEqual(spanOfWindow({ list: "runs", since: null, until }), { kind: "whole", day: until });
  });
});

describe("a new sync", () => {
  it("proposes places that are named like the project, and that no other sync has", () => {
    assert.equal(slugOf("Café  Ünter / 2"), "cafe-unter-2");
    assert.equal(slugOf("東京"), "project");
    assert.equal(freeName("shop", ["shop", "shop-2"]), "shop-3");
    const { place } = firstDraft("Shop", [sync({})]);
    assert.equal(place.folder, "shop-2");
    assert.equal(place.prefix, "tidings/shop");
  });

  it("sends the place that is chosen, without blanks and slashes around", () => {
    const draft = firstDraft("Shop", []);
    assert.ok(!isComplete(draft));
    const place = {
      ...draft.place,
      endpoint: " https://s3.example.com ",
      region: "auto",
      bucket: "lake",
      prefix: "/tidings/shop/",
      accessKeyId: "id",
      secretAccessKey: "key ",
    };
    assert.ok(isComplete({ ...draft, place }));
    assert.deepEqual(sentOf({ ...draft, place }).to, {
      s3: {
        endpoint: "https://s3.example.com",
        region: "auto",
        bucket: "lake",
        prefix: "tidings/shop",
        accessKeyId: "id",
        secretAccessKey: "key",
      },
    });
    assert.deepEqual(sentOf({ ...draft, place: { ...place, kind: "folder" } }).to, { folder: "shop" });
  });

  it("has its lists in the order of the form", () => {
    assert.deepEqual(toggled(["runs", "users"], "events"), ["events", "users", "runs"]);
    assert.deepEqual(toggled(["runs", "users"], "runs"), ["users"]);
  });
});
