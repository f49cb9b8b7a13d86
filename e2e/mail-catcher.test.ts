import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { DAY_MS } from "../apps/server/src/platform/time/clock.ts";
import { newUuid } from "../apps/server/src/platform/uuid.ts";
import { entered, entryToken } from "../apps/server/test/demo-entry.ts";
import { launchEmail, people, setSettings } from "../apps/server/test/email.ts";
import { type TestProject, testHouse } from "../apps/server/test/harness.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { accessibilityFaults } from "./axe.ts";
import { testStage } from "./stage.ts";

const { house, page: emptyPage } = testStage();

const PATHS = ["", "/html", "/raw"] as const;
const mailCatcher = (path = ""): string => `${house.url}/demo/outbox${path}`;

/** Asks with the cookie of the printed address. */
const ask = (path = ""): Promise<Response> => fetch(mailCatcher(path), { headers: entered(house) });

/** A page of a browser that has come by the printed address. */
async function newPage(t: TestContext, options?: BrowserContextOptions): Promise<Page> {
  const page = await emptyPage(t, options);
  await page.goto(`${mailCatcher()}?token=${entryToken(house)}`);
  return page;
}

/** A project that can send, to the mail catcher. */
async function writer(): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "1 Main Street",
  });
  return project;
}

/** Puts bytes into the mail catcher as they are; answers the id. */
async function keep({ projectId }: TestProject, raw: string | Buffer, recipient = "a@a.example") {
  const id = newUuid(house.now());
  await house.database.kysely
    .insertInto("caughtMessages")
    .values({ id, projectId, recipient, raw: Buffer.from(raw), at: house.now() })
    .execute();
  return id;
}

/** Whatever a page complains about. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  return complaints;
}

/** A server of another owner, and what was requested of it. */
const stranger = { url: "", requested: [] as string[] };
const strangers = createServer((request, answer) => {
  stranger.requested.push(request.url ?? "");
  answer.end();
});
before(async () => {
  strangers.listen(0, "127.0.0.1");
  await once(strangers, "listening");
  stranger.url = `http://127.0.0.1:${(strangers.address() as AddressInfo).port}`;
});
after(() => strangers.close());

const hostile = (): string =>
  `From: "<img src=x onerror=alert(1)>" <a@a.example>
To: b@b.example
Subject: </title><script>alert(2)</script> \u202Ereversed
X-Evil: "><script>alert(3)</script>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain; charset=utf-8

</pre><script>alert(4)</script>
--x
Content-Type: text/html; charset=utf-8

<base href="${stranger.url}/"><meta http-equiv="refresh" content="0;url=${stranger.url}/">
<script>alert(5)</script><img src="${stranger.url}/spy.gif" onerror="alert(6)">
<style>@import url("${stranger.url}/x.css"); p { background: url("${stranger.url}/y.png") }</style>
<iframe src="${stranger.url}/"></iframe><form action="${stranger.url}/"><button>Send</button></form>
<a id="leave" target="_top" href="${stranger.url}/">Leave</a><p>Hostile</p>
--x--
`.replaceAll("\n", "\r\n");

describe("the outbox", () => {
  it("is empty at first, then has mail with its own page, newest first", async (t) => {
    const page = await newPage(t);
    await page.goto(mailCatcher());
    await page.getByText("Nothing here yet.").waitFor();
    const project = await writer();
    await people(project, ["ada"]);
    await launchEmail(project);
    await house.drain();
    house.advance(1_000);
    await people(project, ["ben"]);
    house.advance(120_000);
    await house.drain();
    await page.getByRole("link", { name: "Look again" }).click();
    const subjects = page.locator(".mails .subject");
    assert.deepEqual(await subjects.allTextContents(), ["Hello ben", "Hello ada"]);
    await page.getByRole("link", { name: "Hello ada" }).click();
    await page.getByRole("heading", { level: 1, name: "Hello ada" }).waitFor();
    const facts = (await page.locator("dl").textContent()) ?? "";
    assert.match(facts, /From\s*"?Acme News"? <news@acme\.example>\s*To\s*ada@example\.com/);
    const mail = page.frameLocator("iframe");
    await mail.getByText("Hi ada!").waitFor();
    assert.match((await page.locator("pre").textContent()) ?? "", /Hi ada!/);
    await page.getByText(/^\d+ headers$/).click();
    await page.getByRole("row", { name: /^List-Unsubscribe-Post/ }).waitFor();
    await page.getByRole("link", { name: "Raw source" }).click();
    await page.getByText("Content-Type: multipart/alternative").waitFor();
  });

  it("shows hostile mail without doing anything that it says", async (t) => {
    const id = await keep(await writer(), hostile());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    for (const path of ["", `/${id}`, `/${id}/html`, `/${id}/raw`]) {
      await page.goto(mailCatcher(path));
      assert.equal(page.url(), mailCatcher(path));
    }
    await page.goto(mailCatcher(`/${id}`));
    assert.match((await page.getByRole("heading", { level: 1 }).textContent()) ?? "", /<script>alert\(2\)/);
    await page.getByText("</pre><script>alert(4)</script>").waitFor();
    const frame = page.frameLocator("iframe");
    await frame.getByText("Hostile").waitFor();
    await frame.getByRole("button", { name: "Send" }).click();
    await frame.locator("#leave").click();
    await frame.getByText("Hostile").waitFor();
    assert.equal(page.url(), mailCatcher(`/${id}`));
    await page.goto(`${stranger.url}/proof`);
    assert.deepEqual(stranger.requested.splice(0), ["/proof"], "it would have heard of it");
    assert.deepEqual([complaints, stranger.requested], [[], []]);
  });

  it("takes traits of users as text", async (t) => {
    const project = await writer();
    const name = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    await project.sdk.identify({ body: { userId: "eve", traits: { email: "eve@example.com", name } } });
    await launchEmail(project);
    await house.drain();
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await page.goto(mailCatcher());
    await page
      .getByRole("link", { name: `Hello ${name}` })
      .first()
      .click();
    await page.frameLocator("iframe").getByText(`Hi ${name}!`).waitFor();
    assert.deepEqual([complaints, stranger.requested], [[], []]);
  });

  it("answers for whatever bytes are there", async () => {
    const project = await writer();
    const deep = Array.from(
      { length: 300 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}`,
    );
    const cases: (string | Buffer)[] = [
      "",
      "\0",
      Buffer.alloc(70_000, 0xff),
      "no header at all",
      "Subject: =?utf-8?B?////?= =?x?y?z?=\r\nFrom: <<<>>>,,;\r\nTo: \r\n\r\n",
      "Content-Type: multipart/alternative; boundary=\r\n\r\n--\r\n",
      "Content-Type: text/html; charset=nonsense\r\nContent-Transfer-Encoding: base64\r\n\r\n***",
      "Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=ZZ=\r\n=",
      deep.join("\r\n"),
      `Subject: ${"x".repeat(100_000)}\r\n${"X-A: b\r\n".repeat(5_000)}\r\nHello`,
      `Content-Type: text/html\r\n\r\n${"<p>many</p>".repeat(600_000)}`,
    ];
    for (const [index, raw] of cases.entries()) {
      const id = await keep(project, raw, `case-${index}@a.example`);
      for (const path of PATHS) {
        const { status } = await ask(`/${id}${path}`);
        assert.ok(status === 200 || (path === "/html" && status === 404), `${index} ${path} ${status}`);
      }
      const shown = await (await ask(`/${id}`)).text();
      assert.ok(shown.length < 2_000_000 && shown.endsWith("</html>\n"), `${index}`);
    }
    const listed = await (await ask()).text();
    for (const index of cases.keys()) assert.ok(listed.includes(`case-${index}@a.example`), `${index}`);
    assert.ok(listed.length < 200_000, `${listed.length}`);
  });

  it("has nothing under another address", async () => {
    for (const path of ["/x", "/00000000-0000-0000-0000-000000000000", "/%00", "/../outbox/x/raw", "//html"])
      assert.equal((await ask(path)).status, 404, path);
  });

  it("is for no other page", async () => {
    const id = await keep(await writer(), hostile());
    for (const path of ["", `/${id}`, `/${id}/html`, `/${id}/raw`]) {
      const { headers } = await fetch(mailCatcher(path), {
        headers: { ...entered(house), origin: "https://evil.example" },
      });
      assert.equal(headers.get("access-control-allow-origin"), null);
      assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
    }
  });

  it("opens by the printed address, which is only good for a week, and keeps its token out of addresses", async (t) => {
    const page = await newPage(t);
    assert.equal(page.url(), mailCatcher());
    await page.getByRole("heading", { level: 1, name: "Outbox" }).waitFor();
    const token = entryToken(house);
    const [until = "", proof = ""] = token.split(".");
    const later = `${(Number.parseInt(until, 36) + 1).toString(36)}.${proof}`;
    for (const wrong of ["", "x", `${until}.`, `.${proof}`, later, `${token}x`]) {
      const { status, headers } = await fetch(`${mailCatcher()}?token=${wrong}`, { redirect: "manual" });
      assert.deepEqual([status, headers.getSetCookie()], [303, []], wrong);
    }
    const headers = entered(house);
    house.advance(7 * DAY_MS);
    assert.equal((await fetch(mailCatcher(), { headers })).status, 401);
  });

  /** A request as proxies send it that name no visitor: connection and host are this machine's. */
  const proxied = async (path: string, cookie: string): Promise<number> => {
    const answer = await fetch(house.url + path, { headers: { cookie, host: "127.0.0.1" } });
    await answer.body?.cancel();
    return answer.status;
  };

  it("is for operators, and for people who write in the project of a mail", async () => {
    const [project, other] = [await writer(), await writer()];
    const [theirs, elsewhere] = [await keep(project, "Subject: mine\r\n\r\n"), await keep(other, hostile())];
    const person = await makePerson(house);
    const operator = await makePerson(house, { isOperator: true });
    const statuses = (cookie: string): Promise<number[]> =>
      Promise.all(
        ["", `/${theirs}`, `/${theirs}/raw`, `/${elsewhere}`, `/${elsewhere}/html`].map((path) =>
          proxied(`/demo/outbox${path}`, cookie),
        ),
      );
    assert.deepEqual(await statuses(""), [401, 401, 401, 401, 401]);
    assert.deepEqual(await statuses("tidings.session_token=forged.x"), [401, 401, 401, 401, 401]);
    assert.deepEqual(await statuses(person.cookie), [200, 404, 404, 404, 404]);
    await giveRole(house, project.projectId, person, "viewer");
    assert.deepEqual(await statuses(person.cookie), [200, 404, 404, 404, 404]);
    await giveRole(house, project.projectId, person, "editor");
    assert.deepEqual(await statuses(person.cookie), [200, 200, 200, 404, 404]);
    const listed = await (await fetch(mailCatcher(), { headers: { cookie: person.cookie } })).text();
    assert.ok(listed.includes(theirs) && !listed.includes(elsewhere));
    assert.deepEqual(await statuses(operator.cookie), [200, 200, 200, 200, 200]);
  });

  it("says to a stranger how to come in", async (t) => {
    const page = await emptyPage(t);
    await page.goto(mailCatcher());
    await page.getByRole("heading", { level: 1, name: "Sign in first" }).waitFor();
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  it("keeps the newest thousand of a project, and all of another one", async () => {
    const [busy, quiet] = [await writer(), await writer()];
    await keep(quiet, "Subject: old\r\n\r\n");
    await house.database.pool.query(
      `insert into caught_messages (id, project_id, recipient, raw, at)
      select gen_random_uuid(), $1, 'n' || n, '', $2::int8 + n from generate_series(1, 1003) n`,
      [busy.projectId, house.now()],
    );
    await house.drain();
    const { rows } = await house.database.pool.query(
      `select count(*)::int as n, min(at - $2::int8)::int as oldest from caught_messages where project_id = $1`,
      [busy.projectId, house.now()],
    );
    assert.deepEqual(rows, [{ n: 1_000, oldest: 4 }]);
    const left = await house.database.pool.query("select from caught_messages where project_id = $1", [
      quiet.projectId,
    ]);
    assert.equal(left.rowCount, 1);
    const listed = await (await ask()).text();
    assert.match(listed, /These are the newest 100\./);
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`has nothing that axe-core finds, and fits a phone, ${colorScheme}`, async (t) => {
      const project = await writer();
      house.advance(120_000);
      await people(project, ["ada"], `${"long-".repeat(11)}x.example`);
      await launchEmail(project);
      await house.drain();
      house.advance(120_000);
      const evil = await keep(project, hostile());
      for (const width of [390, 1_200]) {
        const page = await newPage(t, { colorScheme, viewport: { width, height: 844 } });
        await page.goto(mailCatcher());
        await page.locator(".mails a").first().waitFor();
        for (const path of ["", `/${evil}`, "first"]) {
          if (path === "first") {
            await page.goto(mailCatcher());
            await page.getByRole("link", { name: "Hello ada" }).first().click();
            await page.frameLocator("iframe").getByText("Hi ada!").waitFor();
          } else await page.goto(mailCatcher(path));
          assert.deepEqual(await accessibilityFaults(page), [], `${path} at ${width}`);
          const fits = await page.evaluate(() => {
            const { scrollWidth, clientWidth } = document.documentElement;
            return scrollWidth <= clientWidth;
          });
          assert.ok(fits, `${path} at ${width}`);
          if (process.env.SHOTS !== undefined)
            await page.screenshot({
              path: `${process.env.SHOTS}/outbox-${colorScheme}-${width}-${path.slice(0, 6) || "list"}.png`,
              fullPage: true,
            });
        }
      }
    });
});

describe("a server that others can reach", () => {
  const open = testHouse({ isPrivate: false, demo: true });

  it("has no outbox, but its demo", async () => {
    assert.equal((await fetch(`${open.url}/demo`)).status, 200);
    for (const path of ["", "/00000000-0000-0000-0000-000000000000", "/x/html", "/x/raw"])
      assert.equal((await fetch(`${open.url}/demo/outbox${path}`)).status, 404, path);
    const { mail } = (await (await fetch(`${open.url}/demo/assets/numbers.json`)).json()) as {
      mail: unknown;
    };
    assert.deepEqual(mail, []);
  });
});
