import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { FILE_SHAPES } from "../../src/features/imports/mapping/presets.pure.ts";
import { PART_BYTES, PRESETS } from "../../src/features/imports/schema.ts";
import { defaultLimits } from "../../src/platform/limits.ts";
import { cleanUp, keysOf, migratedDataDir, serve, stop, tidingsIn, until } from "../commands/spawned.ts";
import { testClients } from "../harness.ts";

const PAGE = await readFile(new URL("../../../../docs/import.md", import.meta.url), "utf8");
const [COMMANDS = "", SCRIPT = ""] = [...PAGE.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = ""]) => text);

/** The files that the page names. */
const FILES = {
  "unsubscribed.csv":
    "Email Address,LEID,UNSUB_TIME\nbob@example.com,1,2026-01-02 10:00:00\ncleo@example.com,2,2026-01-03 10:00:00\n",
  "people.csv": "id,email,plan\nada,ada@example.com,pro\nbob,bob@example.com,free\ncleo,no address,free\n",
  "history.ndjson.gz": gzipSync(
    `${JSON.stringify({ userId: "ada", event: "paid", timestamp: "2026-02-03T10:00:00Z", props: { amount: 5 } })}\n`,
  ),
};

after(cleanUp);

async function folderOfFiles(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-docs-"));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  return folder;
}

describe("docs/import.md", () => {
  it("has commands that run word for word, and a script that brings in the same file with the secret key", async () => {
    const folder = await folderOfFiles();
    const env = { DATA_DIR: await migratedDataDir() };
    const server = await serve(env);
    const { api } = testClients(server.url, keysOf(server));
    const lines = COMMANDS.trim().split("\n");
    assert.equal(lines.length, 4);
    const printed: string[] = [];
    for (const line of lines) {
      const [npx, name, ...args] = line.split(" ");
      assert.deepEqual([npx, name], ["npx", "tidings"]);
      const { code, stdout, stderr } = await tidingsIn(folder, args, env);
      assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
      printed.push(stdout);
    }
    for (const [index, says] of [
      /^Brought in unsubscribed\.csv .*\n2 lines: 2 written, 0 known already, 0 refused\./,
      /^Tried people\.csv, and wrote nothing\.\n3 lines: 2 written, 0 known already, 1 refused\.\n +1 {2}email: /,
      /^Brought in people\.csv .*\n3 lines: 2 written, 0 known already, 1 refused\./,
      /^Brought in history\.ndjson\.gz .*\n1 line: 1 written, 0 known already, 0 refused\./,
    ].entries())
      assert.match(printed[index] ?? "", says);
    assert.equal((await api.listUserEvents({ path: { id: "ada" } })).events.length, 1);

    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", SCRIPT], {
      cwd: folder,
      env: { ...process.env, TIDINGS: server.url, API_KEY: keysOf(server).secretKey },
    });
    assert.doesNotMatch(stdout, /\{"error"/);
    const newest = async () => (await api.listImports()).imports[0];
    await until(async () => (await newest())?.state === "done", "the script's file is brought in");
    const brought = await newest();
    assert.deepEqual(
      [brought?.name, brought?.written, brought?.known, brought?.refused, brought?.by],
      ["people.csv", 0, 2, 1, "API"],
    );
    assert.equal((await stop(server)).code, 0);
    await rm(folder, { recursive: true });
  });

  it("names every tool whose files are recognized, and columns that are looked for in them", () => {
    const [, body = ""] = PAGE.split("| tool | file | users by | who left |\n|---|---|---|---|\n");
    const rows = (body.split("\n\n")[0] ?? "").split("\n").map((row) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    const writers = rows.map(([tool = ""]) =>
      tool
        .toLowerCase()
        .replace(", ", "_")
        .replaceAll(/[^a-z_]/g, ""),
    );
    assert.deepEqual(writers.toSorted(), [...PRESETS, "tidings"].toSorted());
    for (const [index, [, file = "", usersBy = ""]] of rows.entries()) {
      const shapes = FILE_SHAPES.filter(({ writer }) => writer === writers[index]);
      const known = new Set(
        shapes.flatMap(({ userId = [], email = [], suppressed }) => [
          ...userId,
          ...email,
          ...suppressed.flatMap(({ column }) => column ?? []),
        ]),
      );
      const named = `${file} ${usersBy} ${index === 3 ? "" : (rows[index]?.[3] ?? "")}`;
      const columns = [...named.matchAll(/`(\w[\w ]*)`/g)].map(([, column = ""]) => column);
      assert.ok(columns.length > 0, `${writers[index]} has its columns`);
      for (const column of columns) assert.ok(known.has(column), `${writers[index]}: ${column}`);
    }
  });

  it("says how large a part is, and a file", () => {
    assert.ok(PAGE.includes(`(${PART_BYTES.toLocaleString("en")} bytes)`));
    assert.ok(PAGE.includes(`Up to ${defaultLimits.importBytes / 2 ** 30} GiB`));
  });
});
