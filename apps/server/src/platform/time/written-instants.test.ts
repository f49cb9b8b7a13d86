import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readFileInstant } from "./written-instants.ts";

const iso = (value: unknown, timeZone = "UTC"): string | null => {
  const ms = readFileInstant(value, timeZone);
  return ms === null ? null : new Date(ms).toISOString();
};

describe("instants of files", () => {
  const sameInstant = "2024-01-01T10:00:00.123Z";
  const forms: readonly unknown[] = [
    "2024-01-01T10:00:00.123Z",
    "2024-01-01t10:00:00,1239z",
    "2024-01-01T12:00:00.123+02:00",
    "2024-01-01T15:30:00.123+0530",
    "2024-01-01 05:00:00.123-05",
    "2024-01-01 10:00:00.123",
    " 2024-01-01 10:00:00.123456 UTC ",
    "2024-01-01 10:00:00.123 +0000 UTC",
    "2024-01-01 15:30:00.123456789 +0530 IST",
    "1704103200123",
    1704103200123,
    "1704103200.123",
    1704103200.123,
    "1704103200123456",
    1704103200123456n,
    new Date(1704103200123),
  ];
  for (const form of forms)
    it(`reads ${String(form)} (${typeof form})`, () => assert.equal(iso(form), sameInstant));

  it("reads seconds, and days without a time", () => {
    assert.equal(iso("1704103200"), "2024-01-01T10:00:00.000Z");
    assert.equal(iso("2024-02-29"), "2024-02-29T00:00:00.000Z");
    assert.equal(iso("2024-02-29 10:30"), "2024-02-29T10:30:00.000Z");
    assert.equal(iso("1970-01-01"), "1970-01-01T00:00:00.000Z");
    assert.equal(iso("1969-12-31"), "1969-12-31T00:00:00.000Z");
  });

  const refused: readonly unknown[] = [
    "01/02/2024",
    "1/2/2024 10:00",
    "Mon, 01 Jan 2024 10:00:00 GMT",
    "2023-02-29",
    "2024-13-01",
    "2024-01-01 24:00:00",
    "2024-01-01 10:60",
    "2024-01-01T10:00:00+24:00",
    "20240101",
    "yesterday",
    "",
    "99999999",
    "1e12",
    "-1704103200",
    "0000-00-00 00:00:00",
    "0001-01-01 00:00:00",
    -1,
    5,
    Number.NaN,
    1e17,
    Number.POSITIVE_INFINITY,
    true,
    null,
    undefined,
    {},
    [],
    new Date("no date"),
  ];
  for (const form of refused)
    it(`does not read ${JSON.stringify(form) ?? "undefined"}`, () => assert.equal(iso(form), null));
});

describe("clocks of a zone", () => {
  it("reads what they show", () => {
    assert.equal(iso("2024-01-01 10:00:00", "Europe/Berlin"), "2024-01-01T09:00:00.000Z");
    assert.equal(iso("2024-07-01 10:00:00", "Europe/Berlin"), "2024-07-01T08:00:00.000Z");
    assert.equal(iso("2024-07-01", "America/New_York"), "2024-07-01T04:00:00.000Z");
    assert.equal(iso("2024-07-01 10:00:00", "Asia/Kathmandu"), "2024-07-01T04:15:00.000Z");
    assert.equal(iso("2024-07-01T10:00:00Z", "Asia/Kathmandu"), "2024-07-01T10:00:00.000Z");
  });

  it("takes the first of two instants that they show alike in autumn", () => {
    assert.equal(iso("2026-10-25 02:30:00", "Europe/Berlin"), "2026-10-25T00:30:00.000Z");
    assert.equal(iso("2026-10-25 01:59:59", "Europe/Berlin"), "2026-10-24T23:59:59.000Z");
    assert.equal(iso("2026-10-25 03:00:00", "Europe/Berlin"), "2026-10-25T02:00:00.000Z");
    assert.equal(iso("2026-11-01 01:30:00", "America/New_York"), "2026-11-01T05:30:00.000Z");
  });

  it("takes a time that they pass over in spring as much later as they go ahead", () => {
    assert.equal(iso("2026-03-29 02:30:00", "Europe/Berlin"), "2026-03-29T01:30:00.000Z");
    assert.equal(iso("2026-03-29 01:59:59", "Europe/Berlin"), "2026-03-29T00:59:59.000Z");
    assert.equal(iso("2026-03-29 03:00:00", "Europe/Berlin"), "2026-03-29T01:00:00.000Z");
    // Half an hour, on Lord Howe Island.
    assert.equal(iso("2026-10-04 02:15:00", "Australia/Lord_Howe"), "2026-10-03T15:45:00.000Z");
    // A whole day, in Samoa.
    assert.equal(iso("2011-12-31 00:30:00", "Pacific/Apia"), "2011-12-30T10:30:00.000Z");
  });

  it("reads times with an offset alone where there is no such zone", () => {
    assert.equal(iso("2024-07-01 10:00:00", "Middle/Earth"), null);
    assert.equal(iso("2024-07-01 10:00:00 UTC", "Middle/Earth"), "2024-07-01T10:00:00.000Z");
  });

  it("reads back every instant, but for the second of two that are shown alike", () => {
    const zones = [
      "Europe/Berlin",
      "America/St_Johns",
      "Australia/Lord_Howe",
      "Asia/Tehran",
      "Africa/Monrovia",
    ];
    const instants = fc.integer({ min: 0, max: Date.UTC(2037, 0, 1) / 1_000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (timeZone, seconds) => {
        const format = new Intl.DateTimeFormat("sv-SE", {
          timeZone,
          dateStyle: "short",
          timeStyle: "medium",
        });
        const shown = format.format(seconds * 1_000);
        const ms = readFileInstant(shown, timeZone);
        assert.notEqual(ms, null);
        assert.equal(format.format(ms ?? 0), shown);
        assert.ok((ms ?? 0) <= seconds * 1_000, `${shown} in ${timeZone}`);
      }),
      { numRuns: 500 },
    );
  });
});
