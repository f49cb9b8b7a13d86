import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { migrate } from "../../src/platform/db/migrate.ts";
import { newUuid } from "../../src/platform/uuid.ts";
import { BEGAN, id, oldDatabases, projectId, type Run } from "./old-database.ts";

const { oldDatabase } = oldDatabases();

describe("an upgrade, of what operators named,", () => {
  it("says of what lies in the server's network whether an operator has named it, by the audit log where that knows", async () => {
    const pool = await oldDatabase("0086_makers_of_links.sql");
    const run: Run = (sql, values = []) => pool.query(sql, [...values]);
    const person = { operator: newUuid(BEGAN), owner: newUuid(BEGAN), gone: newUuid(BEGAN) };
    for (const [name, isOperator] of [
      ["operator", true],
      ["owner", false],
    ] as const) {
      await run(
        `insert into people."user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt")
        values ($1, $2, $2 || '@example.com', true, now(), now())`,
        [person[name], name],
      );
      await run(
        "insert into members (person_id, organization_id, role, is_operator, created_at) values ($1, $2, 'owner', $3, $4)",
        [person[name], id.organization, isOperator, BEGAN],
      );
    }
    async function entry(
      by: keyof typeof person,
      operation: string,
      target: string | null,
      detail: object,
    ): Promise<void> {
      await run(
        `insert into audit_entries (organization_id, project_id, at, by_kind, by_id, by_name, operation, target, detail)
        values ($1, $2, $3, 'human', $4, $5, $6, $7, $8)`,
        [id.organization, projectId, BEGAN, person[by], by, operation, target, detail],
      );
    }
    const NAME = "https://git.example.com/web.git";
    const OTHER = "https://git.example.com/other.git";
    /** A source with its address, what was done to it (by whom, and which address it had then), and whether an operator named it. */
    const sources: [string, url: string, log: [keyof typeof person, string][], expected: boolean][] = [
      ["an operator's", NAME, [["operator", NAME]], true],
      ["an owner's", NAME, [["owner", NAME]], false],
      [
        "changed by an owner",
        NAME,
        [
          ["operator", OTHER],
          ["owner", NAME],
        ],
        false,
      ],
      [
        "changed by an operator",
        NAME,
        [
          ["owner", OTHER],
          ["operator", NAME],
        ],
        true,
      ],
      [
        "paused by an owner",
        NAME,
        [
          ["operator", NAME],
          ["owner", NAME],
        ],
        true,
      ],
      [
        "changed back by an owner",
        NAME,
        [
          ["operator", NAME],
          ["operator", OTHER],
          ["owner", NAME],
        ],
        false,
      ],
      ["a command's", "file:///srv/web.git", [], true],
      ["of a person who is gone", "https://10.0.0.5/web.git", [["gone", "https://10.0.0.5/web.git"]], true],
      ["under localhost, by ssh", "git@a.localhost:web.git", [], false],
      ["under localhost, with a port", "https://x@A.LocalHost.:8443/web.git", [], false],
      [
        "localhost of a person who is gone",
        "http://localhost/web.git",
        [["gone", "http://localhost/web.git"]],
        false,
      ],
      [
        "localhost, an operator's",
        "http://localhost/web.git",
        [["operator", "http://localhost/web.git"]],
        true,
      ],
      ["localhost in a path", "https://git.example.com/localhost/web.git", [], true],
    ];
    for (const [name, url, log] of sources) {
      await run(
        "insert into sources (project_id, id, url, branch, created_at, look_at) values ($1, $2, $3, 'main', $4, $4)",
        [projectId, name, url, BEGAN],
      );
      let before: string | undefined;
      for (const [by, newUrl] of log) {
        const operation = before === undefined ? "connectSource" : "changeSource";
        await entry(by, operation, name, {
          ...(before !== undefined && { before: { url: before } }),
          after: { url: newUrl },
        });
        before = newUrl;
      }
    }
    // The same thing of the mail server and the model, of which the log says the names of settings alone.
    for (const key of ["email.smtpUrl", "agent.modelUrl", "email.capHours"])
      await run("insert into settings (project_id, key, value, updated_at) values ($1, $2, '1', $3)", [
        projectId,
        key,
        BEGAN,
      ]);
    await entry("operator", "prepareEmailSender", null, { after: ["email.from", "email.smtpUrl"] });
    await entry("owner", "changePeopleSettings", null, { after: ["email.smtpUrl"] });
    await entry("operator", "changePeopleSettings", null, { after: ["email.capHours"] });
    await migrate(pool);
    const found = await pool.query("select id, by_operator from sources");
    assert.deepEqual(
      Object.fromEntries(found.rows.map((row) => [row.id, row.by_operator])),
      Object.fromEntries(sources.map(([name, , , expected]) => [name, expected])),
    );
    const { rows } = await pool.query(
      "select key, by_operator from settings where key <> 'email.capMax' order by key",
    );
    assert.deepEqual(
      rows.map((row) => [row.key, row.by_operator]),
      [
        ["agent.modelUrl", true],
        ["email.capHours", true],
        ["email.smtpUrl", false],
      ],
    );
    await pool.end();
  });
});
