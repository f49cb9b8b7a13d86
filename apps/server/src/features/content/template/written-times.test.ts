import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import fc from "fast-check";
import { Liquid } from "liquidjs";
import { fillField, parseTemplate } from "./template.pure.ts";

const NOW = "%Y-%m-%d %H:%M %z";

/** What a field of one trait says, for a reader in a zone. */
function shown(value: unknown, filter: string, zone?: unknown, origin: "request" | "stored" = "request") {
  const template = parseTemplate(`{{ user.t | ${filter} }}`, origin);
  if ("fault" in template) return template.fault;
  const [field] = template.parts;
  assert.ok(typeof field === "object");
  return fillField(field, { id: "u", traits: { t: value, $timezone: zone } });
}

const zoneOfServer = process.env.TZ;
afterEach(() => {
  if (zoneOfServer === undefined) delete process.env.TZ;
  else process.env.TZ = zoneOfServer;
});

const ZONES = ["UTC", "Europe/Vienna", "Pacific/Auckland", "America/New_York", "Asia/Kathmandu"] as const;

describe("a time in a text", () => {
  for (const zone of ["UTC", "America/New_York", "Pacific/Auckland"])
    it(`is the same on a server in ${zone}`, () => {
      process.env.TZ = zone;
      for (const [value, nowhere, inAuckland, named] of [
        // An offset that the value states is kept.
        ["2026-03-01T00:30:00+13:00", "2026-03-01 00:30 +1300", null, "2026-02-28 06:30 -0500"],
        ["2026-03-01 00:30:00.123+05:45", "2026-03-01 00:30 +0545", null, "2026-02-28 13:45 -0500"],
        ["2026-03-01T00:30:00-0330", "2026-03-01 00:30 -0330", null, "2026-02-28 23:00 -0500"],
        ["2026-03-01 00:30:00+00", "2026-03-01 00:30 +0000", null, "2026-02-28 19:30 -0500"],
        ["Sun, 01 Mar 2026 00:30:00 +1300", "2026-03-01 00:30 +1300", null, "2026-02-28 06:30 -0500"],
        ["Sun, 01 Mar 2026 00:30:00 PST", "2026-03-01 00:30 -0800", null, "2026-03-01 03:30 -0500"],
        [
          "Sun Mar 01 2026 00:30:00 GMT+1300 (New Zealand Daylight Time)",
          ...(["2026-03-01 00:30 +1300", null, "2026-02-28 06:30 -0500"] as const),
        ],
        // An instant is in the zone of the reader.
        [
          "2026-03-01T00:30:00Z",
          "2026-03-01 00:30 +0000",
          "2026-03-01 13:30 +1300",
          "2026-02-28 19:30 -0500",
        ],
        [
          "Sun, 01 Mar 2026 00:30:00 GMT",
          "2026-03-01 00:30 +0000",
          "2026-03-01 13:30 +1300",
          "2026-02-28 19:30 -0500",
        ],
        [1_772_325_000_000, "2026-03-01 00:30 +0000", "2026-03-01 13:30 +1300", "2026-02-28 19:30 -0500"],
        ["1772325000000", "2026-03-01 00:30 +0000", "2026-03-01 13:30 +1300", "2026-02-28 19:30 -0500"],
        [1_772_325_000, "2026-03-01 00:30 +0000", "2026-03-01 13:30 +1300", "2026-02-28 19:30 -0500"],
        [-86_400, "1969-12-31 00:00 +0000", "1969-12-31 12:00 +1200", "1969-12-30 19:00 -0500"],
        // A day, or a time without an offset, is as it is written.
        ...["2026-03-01", "2026-03-01T00:00", "2026-03-01 00:00:00", "March 1, 2026", "3/1/2026"].map(
          (text) => [text, ...Array(3).fill("2026-03-01 00:00 +0000")] as const,
        ),
        // What is no time stays as it is.
        ...["soon", "2026-13-01", "10:30", "", "x".repeat(200)].map(
          (text) => [text, text, text, text] as const,
        ),
      ] as const) {
        const format = `date: "${NOW}"`;
        assert.equal(shown(value, format), nowhere, `${value}`);
        assert.equal(shown(value, format, "Pacific/Auckland"), inAuckland ?? nowhere, `${value} in Auckland`);
        assert.equal(
          shown(value, `${format}, "America/New_York"`, "Pacific/Auckland"),
          named,
          `${value} named`,
        );
      }
    });

  it("is on the day that clocks of the zone show, on both sides of each change of them", () => {
    process.env.TZ = "America/New_York";
    fc.assert(
      fc.property(
        fc.oneof(
          fc.date({ min: new Date("1970-01-01"), max: new Date("2037-12-31"), noInvalidDate: true }),
          // Hours around the changes of the clocks in Vienna, New York and Auckland.
          fc
            .tuple(
              fc.constantFrom(
                "2026-03-29T01:00Z",
                "2026-11-01T06:00Z",
                "2026-03-08T07:00Z",
                "2026-04-04T14:00Z",
              ),
              fc.integer({ min: -7_200, max: 7_200 }),
            )
            .map(([at, seconds]) => new Date(Date.parse(at) + seconds * 1_000)),
        ),
        fc.constantFrom(...ZONES),
        (at, zone) => {
          const iso = `${at.toISOString().slice(0, 19)}Z`;
          const expected = new Date(iso).toLocaleString("sv-SE", { timeZone: zone });
          assert.equal(shown(iso, 'date: "%Y-%m-%d %H:%M:%S"', zone), expected);
          assert.equal(shown(iso, `date: "%Y-%m-%d %H:%M:%S", "${zone}"`), expected);
        },
      ),
    );
  });

  it("is written as LiquidJS writes it, whose clock is that of its server", () => {
    process.env.TZ = "UTC";
    const liquid = new Liquid({ timezoneOffset: 0, locale: "en-US" });
    const directive = fc
      .tuple(
        fc.constantFrom("", "-", "_", "0", "^", "#", ":", "^_"),
        fc.constantFrom("", "1", "4", "12"),
        fc.constantFrom(..."aAbBcCdeHIjklLmMNpPqsSuUwWxXyYzZtnh%Q-"),
      )
      .map(([flags, width, code]) => `%${flags}${width}${code}`);
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0101-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        fc.array(directive, { minLength: 1, maxLength: 6 }),
        (at, directives) => {
          const format = directives.join(" ");
          const value = at.toISOString();
          const theirs = liquid.parseAndRenderSync("{{ t | date: f }}", { t: value, f: format });
          assert.equal(shown(value, `date: ${JSON.stringify(format)}`), theirs);
        },
      ),
      { numRuns: 500 },
    );
    assert.equal(shown(0, "date"), "Thursday, January 1, 1970 at 12:00 am +0000");
  });

  it("has no zone of a reader that is none", () => {
    for (const zone of [undefined, null, 5, {}, "", "Nowhere/At_All", "x".repeat(100_000), "UTC\u0000"])
      assert.equal(
        shown("2026-03-01T00:30:00Z", 'date: "%d %H:%M"', zone),
        "01 00:30",
        String(zone).slice(0, 20),
      );
  });
});

describe("a time zone in a template", () => {
  it("is refused where it is not known, and left out of older templates", () => {
    for (const zone of ['"Europe/Wien"', '""', '"330"', "true", "99999", `"${"x".repeat(200)}"`])
      assert.match(
        shown(0, `date: "%d", ${zone}`),
        /^must not use the time zone .* in \{\{ .*: write its name/,
      );
    const stored = (zone: string) =>
      shown("2026-03-01T00:30:00Z", `date: "%d %H:%M", "${zone}"`, "Europe/Vienna", "stored");
    assert.deepEqual(["Europe/Wien", "", "330"].map(stored), Array(3).fill("01 01:30"));
  });

  it("may be an offset in minutes west of UTC, as in Liquid", () => {
    assert.equal(shown("2026-03-01T00:30:00Z", 'date: "%d %H:%M %z", -330'), "01 06:00 +0530");
    assert.equal(shown("2026-03-01T00:30:00Z", 'date: "%d %H:%M %z", 210'), "28 21:00 -0330");
  });
});
