import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { before, describe, it } from "node:test";
import { contentsOf } from "../../../test/contents.ts";
import { launchCampaign } from "../../../test/factories.ts";
import { testHouse } from "../../../test/harness.ts";
import { exportText, importText } from "../../../test/portable.ts";
import { PortableError } from "./portable-error.ts";

const house = testHouse();

/** A file whose footer has the right checksum. */
function signed(lines: readonly string[], counts: Record<string, number>): string {
  const body = lines.map((line) => `${line}\n`).join("");
  return `${body}${JSON.stringify({ type: "end", counts, sha256: hash("sha256", body) })}\n`;
}

async function* endless(bytes: number): AsyncGenerator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024, "x");
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
}

describe("importing what is no export", () => {
  let lines: string[];
  let counts: Record<string, number>;
  let headers: string;
  before(async () => {
    const project = await house.project();
    for (const userId of ["ada", "bob", "cleo"])
      await project.sdk.track({ body: { userId, event: "looked" } });
    await launchCampaign(project);
    const text = await exportText(house, project.projectId);
    lines = text.trimEnd().split("\n").slice(0, -1);
    headers = lines[0] ?? "";
    counts = (JSON.parse(text.trimEnd().split("\n").at(-1) ?? "") as { counts: Record<string, number> })
      .counts;
  });

  async function refused(file: string | AsyncIterable<Buffer>, pattern: RegExp): Promise<void> {
    const had = await contentsOf(house);
    await assert.rejects(
      importText(house, file),
      (error) => {
        assert.ok(error instanceof PortableError, String(error));
        assert.match(error.message, pattern);
        assert.equal(error.message.split("\n").length, 1);
        return true;
      },
      String(pattern),
    );
    assert.deepEqual(await contentsOf(house), had);
  }

  const place = (type: string): number => lines.findIndex((line) => line.startsWith(`{"type":"${type}"`));
  /** The file with one line replaced, and the right checksum. */
  const withLine = (at: number, line: string): string =>
    signed(
      lines.map((each, i) => (i === at ? line : each)),
      counts,
    );
  /** The file with a change in its first record of a type. */
  const altered = (type: string, what: string | RegExp, by: string): string => {
    const at = place(type);
    const line = lines[at] ?? "";
    assert.notEqual(line.replace(what, by), line, `${type} has ${what}`);
    return withLine(at, line.replace(what, by));
  };
  const numberOf = (type: string): number => place(type) + 1;

  it("takes the file as it is", async () => {
    await importText(house, signed(lines, counts));
    assert.deepEqual(await house.differences(), {});
  });

  it("takes the file with the mark of UTF-8, in whatever pieces it comes", async () => {
    async function* inPieces() {
      for (const byte of Buffer.from("\ufeff")) yield Buffer.from([byte]);
      yield Buffer.from(signed(lines, counts));
    }
    await importText(house, `\ufeff${signed(lines, counts)}`);
    await importText(house, inPieces());
    await refused(`\ufeff\ufeff${signed(lines, counts)}`, /^Line 1 is not a JSON object$/);
    async function* wide() {
      yield Buffer.from(`\ufeff${signed(lines, counts)}`, "utf16le");
    }
    await refused(wide(), /^The file is UTF-16 or UTF-32: save it as UTF-8$/);
  });

  it("refuses a number that whoever reads it would read as another one, and takes one that was rounded before", async () => {
    const traits = (json: string) => altered("users", /"traits":\{[^}]*\}/, `"traits":${json}`);
    for (const lost of ["9007199254740993", "1e400", '[{"a":0.12345678901234567890}]'])
      await refused(
        traits(`{"id":${lost}}`),
        new RegExp(`^Line ${numberOf("users")} \\(users\\): traits has a number that cannot be kept exactly`),
      );
    await importText(house, traits('{"id":1161888007138312200,"far":1e300,"near":1.50}'));
  });

  it("refuses an empty file, and one that begins with something else", async () => {
    await refused("", /^The file is empty$/);
    await refused("\n", /^Line 1 is not a JSON object$/);
    await refused("id,name\n1,Ada\n", /^Line 1 is not a JSON object$/);
    await refused("{}\n", /^Line 1 is not the header of an export of Tidings$/);
    await refused("[1]\n", /^Line 1 is not a JSON object$/);
    await refused(lines.slice(1).join("\n"), /^Line 1 is not the header/);
    await refused(
      `${headers.replace(/"project":\{[^}]*\}/, '"project":{}')}\n`,
      /^Line 1 is not a whole header: project\.id/,
    );
  });

  it("refuses what a newer version wrote", async () => {
    const newer = /^Line 1 was written by a newer Tidings/;
    await refused(withLine(0, headers.replace('"format":1', '"format":2')), newer);
    await refused(withLine(0, headers.replace(/"schema":"[^"]*"/, '"schema":"9999_later.sql"')), newer);
    await refused(withLine(0, headers.replace('"users":[', '"users":["mood",')), newer);
    await refused(withLine(0, headers.replace('"tables":{', '"tables":{"moods":["mood"],')), newer);
    await refused(withLine(0, headers.replace('"users":[', '"users":["project_id",')), newer);
  });

  it("refuses a file that was cut off, wherever", async () => {
    const whole = signed(lines, counts);
    for (const length of [0.2, 0.5, 0.9, 0.999])
      await refused(
        whole.slice(0, Math.floor(whole.length * length)),
        /^Line \d+ is cut off: the file is not whole$/,
      );
    await refused(
      lines
        .slice(0, 4)
        .map((line) => `${line}\n`)
        .join(""),
      /^Line 4 is the last one, and not the end/,
    );
  });

  it("refuses a file that was altered, and one with something after its end", async () => {
    const whole = signed(lines, counts);
    await refused(
      whole.replace('"external_id":"ada"', '"external_id":"eve"'),
      /^Line \d+ says another checksum/,
    );
    await refused(signed(lines, { ...counts, users: 9 }), /^Line \d+ says another number of records/);
    await refused(
      signed(
        lines.filter((_, i) => i !== place("event_counts")),
        counts,
      ),
      /^Line \d+ says another number/,
    );
    await refused(`${whole}{}\n`, /^Line \d+ comes after the end of the export$/);
    await refused(whole.replace(/"sha256":"\w+"/, '"sha256":"?"'), /^Line \d+ is not a whole footer$/);
  });

  it("names the line that is no record", async () => {
    const at = place("events");
    const number = at + 1;
    await refused(withLine(at, "not JSON"), new RegExp(`^Line ${number} is not a JSON object$`));
    await refused(withLine(at, ""), new RegExp(`^Line ${number} is not a JSON object$`));
    await refused(
      withLine(at, '{"type":"moods","row":{}}'),
      new RegExp(`^Line ${number} is of a type that is not known$`),
    );
    await refused(withLine(at, '{"type":"events"}'), new RegExp(`^Line ${number} \\(events\\) has no row$`));
    await refused(
      withLine(at, '{"type":"goals","row":{}}'),
      new RegExp(`^Line ${number} \\(goals\\) comes too late`),
    );
    await refused(withLine(at, '{"type":"constructor","row":{}}'), /is of a type that is not known$/);
  });

  it("names the record that breaks a rule", async () => {
    const line = (type: string) => `^Line ${numberOf(type)} \\(${type}\\): `;
    const cases: readonly [string, string | RegExp, string, string][] = [
      ["users", /"user_key":"[^"]*"/, '"user_key":"1"', "user_key must be a UUID"],
      ["users", '"external_id":"', '"external_id":7,"x":"', "the header does not name all of its fields"],
      ["users", /"external_id":"[^"]*"/, '"external_id":7', "external_id must be a string"],
      ["users", '"traits":{}', '"traits":null', 'null value in column "traits"'],
      ["users", '"traits":{}', '"traits":{"a":"\\u0000"}', "unsupported Unicode escape sequence"],
      ["users", '"traits":{}', '"traits":{"a":"\\ud800"}', "invalid input syntax|Unicode"],
      [
        "users",
        /"first_seen_at":\d+/,
        '"first_seen_at":"soon"',
        'invalid input syntax for type bigint: "soon"',
      ],
      ["users", /"first_seen_at":\d+/, '"first_seen_at":1e30', "out of range|invalid input"],
      [
        "events",
        /"user_key":"[^"]*"/,
        '"user_key":"00000000-0000-4000-8000-000000000000"',
        "its user is not in the file",
      ],
      [
        "campaigns",
        '"status":"running"',
        '"status":"flying"',
        "invalid input value for enum campaign_status",
      ],
      [
        "variants",
        /"campaign_id":"[^"]*"/,
        '"campaign_id":"00000000-0000-4000-8000-000000000000"',
        "violates foreign key",
      ],
      ["rollup_deltas", /"looked", \d+/, '"looked", "someday"', "invalid input syntax for type integer"],
    ];
    for (const [type, what, by, says] of cases)
      await refused(altered(type, what, by), new RegExp(line(type) + `.*(${says})`));
    const twice = lines.toSpliced(place("users"), 0, lines[place("users")] ?? "");
    await refused(
      signed(twice, { ...counts, users: 4 }),
      new RegExp(`^Line ${numberOf("users") + 1} \\(users\\): duplicate key`),
    );
  });

  it("reads no line to its end that is too long, and none that is not UTF-8", async () => {
    await refused(endless(100 * 1024 * 1024), /^Line 1 is longer than 16 MiB$/);
    await refused(
      (async function* () {
        yield Buffer.from(`${headers}\n`);
        yield Buffer.from([0x22, 0xff, 0x22, 0x0a]);
      })(),
      /^Line 2 is not UTF-8$/,
    );
  });
});
