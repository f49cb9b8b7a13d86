import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { MAX_RECEIPT_DATA } from "../../src/features/content/email/receipt/message.pure.ts";
import { fillReceiptText, parseReceiptText } from "../../src/features/content/template/receipt-text.pure.ts";
import { withoutTrait } from "../../src/features/content/template/words.pure.ts";
import { transactionalSettings } from "../../src/features/email/sender/settings.pure.ts";
import {
  MAX_AHEAD_MS,
  MAX_FILE_BYTES,
  MAX_FILES,
  SEND_STATES,
} from "../../src/features/transactional/rules.ts";
import { SEND_REASONS } from "../../src/features/transactional/send/request-sends.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import {
  cleanUp,
  keysOf,
  migratedDataDir,
  printedMailCatcher,
  serve,
  stop,
  tidings,
  until,
} from "../commands/spawned.ts";
import { keepSecrets } from "../secrets/secrets-of-the-run.ts";
import { openPage } from "./page.ts";
import { shownAnswer } from "./shown-answer.ts";

after(cleanUp);

const ROOT = new URL("../../../../", import.meta.url);
const { text: PAGE, blocksOf, table } = await openPage(new URL("docs/receipts.md", ROOT));
const run = promisify(execFile);

/** What a text of a template says with some data. */
function filled(source: string, data: Readonly<Record<string, unknown>>): string {
  const text = parseReceiptText(source);
  assert.ok("nodes" in text, "fault" in text ? text.fault : "");
  const result = fillReceiptText(text, { data, user: { id: "ada", traits: {} } });
  assert.ok("parts" in result, "missing" in result ? result.missing : "it is too much");
  return result.parts.map((part) => (typeof part === "string" ? part : withoutTrait(part))).join("");
}

describe("docs/receipts.md", () => {
  it("sends a receipt in five minutes, word for word, by curl, the client and the package of Resend", async () => {
    const data = { DATA_DIR: await migratedDataDir() };
    const server = await serve(data);
    const { projectId, secretKey } = keysOf(server);
    const env = { ...process.env, ...data, npm_config_loglevel: "silent" };
    const [commands, answers] = [blocksOf("bash"), blocksOf("json")];
    assert.ok(commands.length >= 7 && answers.length >= 3);
    const { stdout } = await run(
      "bash",
      ["-euo", "pipefail", "-c", [...commands, 'echo "$SEND_KEY"'].join("\necho\n")],
      {
        cwd: ROOT,
        timeout: 180_000,
        env: { ...env, TIDINGS: server.url, PROJECT: projectId, API_KEY: secretKey },
      },
    );
    for (const answer of answers) assert.match(stdout, shownAnswer(answer));
    const key = /pk_send_\S+$/.exec(stdout.trim())?.[0] ?? "";
    keepSecrets(key);

    const programs = blocksOf("ts");
    assert.equal(programs.length, 2);
    for (const program of programs) {
      const environment = {
        TIDINGS: server.url,
        SEND_KEY: key,
        RESEND_BASE_URL: `${server.url}/compat/resend`,
        RESEND_API_KEY: key,
      };
      const printed = await run(process.execPath, ["--input-type=module-typescript", "-e", program], {
        cwd: ROOT,
        env: { ...env, ...environment },
      });
      assert.match(printed.stdout, /^del_\S+$/m);
    }
    const caught = async () => (await printedMailCatcher(server)).text();
    await until(async () => {
      const page = await caught();
      return [1, 3, 4].every((n) => page.includes(`Your receipt for order A-100${n}`));
    }, "three receipts left");
    const page = await caught();
    assert.ok(page.includes("Your export is ready"));
    assert.ok(!page.includes("A-1002"), "what was refused never leaves");
    const doctor = await tidings(["doctor"], data);
    assert.equal(doctor.code, 0, doctor.stdout);
    assert.equal((await stop(server)).code, 0);
  });

  const shown = table("| you write | with this data | it says |");
  it("has its table of what one may write", () => assert.ok(shown.length >= 10));
  for (const [source = "", data = "", says = ""] of shown)
    it(`${source} with ${data} says ${JSON.stringify(says)}`, () =>
      assert.equal(filled(source, JSON.parse(data) as Record<string, unknown>).trimEnd(), says));

  const refused = table("| refused | because |");
  it("has its table of what is refused", () => assert.ok(refused.length >= 6));
  for (const [source = ""] of refused)
    it(`${source} is refused`, () => assert.ok("fault" in parseReceiptText(source)));

  it("has rows of a table that follow each other", () => {
    const source = /```\n(\| Item[\s\S]*?)```/.exec(PAGE)?.[1] ?? "";
    const items = [
      { name: "Notebook", price: "18" },
      { name: "Pen", price: "6" },
    ];
    assert.equal(
      filled(source, { items, order: { total: "24" } }),
      "| Item | Price |\n|:--|--:|\n| Notebook | 18 |\n| Pen | 6 |\n| **Total** | **24** |\n",
    );
  });

  it("names every state, reason and setting, and no other", () => {
    const cells = (head: string, at = 0) => table(head).map((row) => row[at] ?? "");
    assert.deepEqual(cells("| `state` | |"), [...SEND_STATES]);
    const reasons = cells("| status | `reason` | what to do |", 1).filter((reason) => reason !== "");
    assert.deepEqual(reasons.toSorted(), [...SEND_REASONS].toSorted());
    assert.deepEqual(cells("| setting | default | |"), Object.keys(transactionalSettings));
    assert.ok(PAGE.includes(`| \`send.keepDays\` | ${transactionalSettings["send.keepDays"].fallback} |`));
  });

  it("gives the limits that hold", () => {
    const [, limits = ""] = PAGE.split("\n## Limits\n");
    const most = (what: string): number => {
      const row = limits.split("\n").find((line) => line.startsWith(`| ${what} |`)) ?? "";
      return Number((/\| ([\d,]+)/.exec(row.slice(what.length + 3))?.[1] ?? "").replaceAll(",", ""));
    };
    assert.equal(most("data of a mail, as compact JSON"), MAX_RECEIPT_DATA);
    assert.equal(most("files of a mail"), MAX_FILES);
    assert.equal(most("bytes of all its files"), MAX_FILE_BYTES);
    assert.equal(most("days ahead of `sendAt`") * DAY_MS, MAX_AHEAD_MS);
    const isTaken = (source: string): boolean => "nodes" in parseReceiptText(source);
    for (const [what, text] of [
      ["gaps of a text", (n: number) => "{{ data.a }}".repeat(n)],
      [
        "tags of a text",
        (n: number) =>
          "{% if data.a %}".repeat(n / 250) +
          "{% elsif data.b %}".repeat(n - n / 125) +
          "{% endif %}".repeat(n / 250),
      ],
      ["tags inside each other", (n: number) => "{% if data.a %}".repeat(n) + "{% endif %}".repeat(n)],
    ] as const) {
      const limit = most(what);
      assert.ok(isTaken(text(limit)), what);
      assert.ok(!isTaken(text(limit + (what === "tags of a text" ? 250 : 1))), what);
    }
    const rounds = parseReceiptText("{% for a in data.list %}{% endfor %}");
    assert.ok("nodes" in rounds);
    const loop = (n: number) =>
      fillReceiptText(rounds, {
        data: { list: Array.from({ length: n }, () => 1) },
        user: { id: "ada", traits: {} },
      });
    const limit = most("rounds of all loops of a mail");
    assert.ok("parts" in loop(limit) && "tooMuch" in loop(limit + 1));
  });
});
