import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TestHouse, testHouse } from "../../../../test/harness.ts";
import { dashboardHeaders, makePerson, PASSWORD, signIn, type TestPerson } from "../../../../test/people.ts";
import { keepSecrets } from "../../../../test/secrets/secrets-of-the-run.ts";
import { collide } from "../../../../test/waiting.ts";
import { defaultLimits } from "../../../platform/limits.ts";
import { parseTrustedProxies } from "../../../platform/net/trusted-proxies.ts";

const house = testHouse();
const limited = testHouse({ rateLimits: {} });
const WRONG_OF_AN_ADDRESS = 5;
const behindProxy = testHouse({
  rateLimits: {},
  trustedProxies: parseTrustedProxies("127.0.0.1"),
  limits: { ...defaultLimits, failedSignInsPerAddress: WRONG_OF_AN_ADDRESS },
});

const SIGN_IN = "/api/people/auth/sign-in/email";
/** For so long a session is believed. */
const BELIEVED_MS = 5_000;

type Headers = Record<string, string>;

const post = (at: TestHouse, path: string, body: unknown, headers: Headers = {}): Promise<Response> =>
  fetch(at.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", origin: at.url, ...headers },
    body: JSON.stringify(body),
  });

const get = (at: TestHouse, path: string, headers: Headers = {}): Promise<Response> =>
  fetch(at.url + path, { headers });

async function tryPassword(at: TestHouse, email: string, password: string, headers: Headers = {}) {
  const response = await post(at, SIGN_IN, { email, password }, headers);
  return { status: response.status, cookies: response.headers.getSetCookie() };
}

/** The cookies of a browser after a sign-in, as it sends them. */
async function browserOf(at: TestHouse, { email }: TestPerson): Promise<Headers> {
  const { status, cookies } = await tryPassword(at, email, PASSWORD);
  assert.equal(status, 200);
  const pairs = cookies.map((each) => each.split(";")[0] ?? "");
  keepSecrets(...pairs.map((pair) => pair.slice(pair.indexOf("=") + 1)));
  return { cookie: pairs.join("; ") };
}

const me = async (at: TestHouse, cookie: string, more: Headers = {}) =>
  (await get(at, "/api/people/me", { ...dashboardHeaders(at, cookie, "-"), ...more })).status;

describe("strangers at the sign-in", () => {
  it("shut nobody out by requests that are no try", async () => {
    const ada = await makePerson(limited);
    const bodies: unknown[] = [
      { email: "x1", password: "y" },
      { email: ada.email },
      { email: ada.email, password: 1 },
      { email: [ada.email], password: "y" },
      [],
      null,
      "text",
    ];
    for (let times = 0; times < 20; times++) {
      const statuses = await Promise.all(
        bodies.map(async (body) => (await post(limited, SIGN_IN, body)).status),
      );
      for (const status of statuses) assert.equal(status, 400);
    }
    assert.equal((await tryPassword(limited, ada.email, PASSWORD)).status, 200);
  });

  it("shut out browsers that are new to an account, and none that has signed in to it", async () => {
    const [ada, bob] = [await makePerson(limited), await makePerson(limited)];
    const [known, other] = [await browserOf(limited, ada), await browserOf(limited, bob)];
    for (let times = 0; times < 10; times++)
      assert.equal((await tryPassword(limited, ada.email, "wrong horse")).status, 401);
    assert.equal((await tryPassword(limited, ada.email, PASSWORD)).status, 429);
    assert.equal((await tryPassword(limited, ada.email, PASSWORD, other)).status, 429);
    assert.equal((await tryPassword(limited, ada.email, PASSWORD, known)).status, 200);
    // A stolen cookie of the browser does not sign in, and has ten tries as well.
    const statuses: number[] = [];
    for (let times = 0; times < 11; times++)
      statuses.push((await tryPassword(limited, ada.email, "wrong horse", known)).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 401), 429]);
  });

  it("cannot make a browser known by a cookie of their own", async () => {
    const ada = await makePerson(limited);
    const { cookie = "" } = await browserOf(limited, ada);
    const mark = cookie.split("; ").find((each) => each.includes("tidings.browser_")) ?? "";
    const [name = "", value = ""] = mark.split("=");
    for (let times = 0; times < 10; times++) await tryPassword(limited, ada.email, "wrong horse");
    const [id = "", signature = ""] = value.split(".");
    for (const forged of ["", id, `${id}.`, `x.${signature}`, `${id}.${"A".repeat(signature.length)}`])
      assert.equal(
        (await tryPassword(limited, ada.email, PASSWORD, { cookie: `${name}=${forged}` })).status,
        429,
        forged,
      );
  });

  it("have thirty challenges for passkeys a minute, each of which is a row for five minutes", async () => {
    const ask = async () =>
      (await get(limited, "/api/people/auth/passkey/generate-authenticate-options")).status;
    limited.advance(60_000);
    const statuses = new Set<number>();
    for (let times = 0; times < 30; times++) statuses.add(await ask());
    assert.deepEqual([[...statuses], await ask()], [[200], 429]);
  });

  it("end with cookies that this server did not sign, before anything is counted", async () => {
    const ada = await makePerson(limited);
    const [token = ""] = decodeURIComponent(ada.cookie.split("=")[1] ?? "").split(".");
    const forged = ["x.y", `${token}.`, `${token}.AAAA`, "a".repeat(900), `${token}%2E${"A".repeat(43)}%3D`];
    const flood = Array.from({ length: 700 }, (_, index) =>
      me(limited, `tidings.session_token=${forged[index % forged.length]}`),
    );
    for (const status of await Promise.all(flood)) assert.equal(status, 401);
    assert.equal(await me(limited, ada.cookie), 200);
    limited.advance(BELIEVED_MS);
    assert.equal(await me(limited, ada.cookie), 200);
    // Keys that do not exist are counted, and take nothing from people.
    const key = { authorization: `Bearer tk_sec_${"x".repeat(43)}` };
    const keys = Array.from({ length: 700 }, (_, index) =>
      get(limited, "/api/v1/campaigns", { authorization: `${key.authorization.slice(0, -3)}${100 + index}` }),
    );
    await Promise.all(keys);
    limited.advance(BELIEVED_MS);
    assert.equal(await me(limited, ada.cookie), 200);
    const fresh = await signIn(limited, ada.email);
    assert.equal(await me(limited, fresh), 200);
  });
});

describe("visitors behind a proxy that is trusted", () => {
  it("are counted apart, whatever the account and whatever they write into the header", async () => {
    const ada = await makePerson(behindProxy);
    behindProxy.advance(60_000);
    const wrongFrom = async (forwarded: string, times: number) => {
      const statuses: number[] = [];
      for (let each = 0; each < times; each++) {
        const headers = { "x-forwarded-for": forwarded.replace("#", `${each}`) };
        const email = `unknown-${each}@example.com`;
        statuses.push((await tryPassword(behindProxy, email, "wrong horse", headers)).status);
      }
      return statuses;
    };
    const spent = await wrongFrom("10.0.0.#, 203.0.113.7", WRONG_OF_AN_ADDRESS + 1);
    assert.deepEqual(spent, [...Array.from({ length: WRONG_OF_AN_ADDRESS }, () => 401), 429]);
    assert.equal(
      (await tryPassword(behindProxy, ada.email, PASSWORD, { "x-forwarded-for": "203.0.113.7" })).status,
      429,
    );
    for (const other of ["203.0.113.8", "203.0.113.8:4711", "[2001:db8::1]:80", "203.0.113.7, 203.0.113.9"])
      assert.equal(
        (await tryPassword(behindProxy, ada.email, PASSWORD, { "x-forwarded-for": other })).status,
        200,
        other,
      );
  });
});

describe("a sign-in", () => {
  it("tells a page nothing that it could take along", async () => {
    const ada = await makePerson(house);
    const { cookie = "" } = await browserOf(house, ada);
    const response = await post(house, SIGN_IN, { email: ada.email, password: PASSWORD });
    const session = await get(house, "/api/people/auth/get-session", { cookie });
    const [token = ""] = decodeURIComponent(/session_token=([^;]+)/.exec(cookie)?.[1] ?? "").split(".");
    for (const text of [await response.text(), await session.text()]) {
      assert.match(text, new RegExp(ada.email));
      assert.doesNotMatch(text, /"token"/);
      assert.equal(text.includes(token), false);
    }
    for (const each of response.headers.getSetCookie())
      assert.match(each, /HttpOnly; SameSite=(?:Strict|Lax)/i);
  });

  it("is in the audit log, and what was wrong in the counts", async () => {
    const ada = await makePerson(house, { role: "owner" });
    assert.equal((await tryPassword(house, ada.email, "wrong horse")).status, 401);
    const { rows } = await house.database.pool.query(
      "select operation, detail from audit_entries where by_id = $1",
      [ada.id],
    );
    assert.deepEqual(rows, [{ operation: "signIn", detail: { after: { how: "password" } } }]);
    const metrics = await (await get(house, "/metrics")).text();
    assert.match(metrics, /tidings_sign_ins_total\{outcome="wrong"\} [1-9]/);
    assert.match(metrics, /tidings_sign_ins_total\{outcome="password"\} [1-9]/);
  });

  it("is no fault of the server, whatever a page says of itself", async () => {
    for (const origin of ["null", "garbage", "https://evil.example", "http://"])
      assert.equal((await get(house, "/api/people/auth/get-session", { origin })).status, 200, origin);
  });
});

describe("a new password", () => {
  it("ends also what was signed in with the former one meanwhile", async () => {
    const ada = await makePerson(house);
    const locking = {
      text: `update people."account" set "password" = "password" || 'x' where "userId" = $1`,
      values: [ada.id],
    };
    const outcomes = await collide(house, locking, [() => tryPassword(house, ada.email, PASSWORD)]);
    assert.deepEqual(
      outcomes.map((each) => each.status === "fulfilled" && each.value),
      [{ status: 401, cookies: [] }],
    );
    const { rows } = await house.database.pool.query(`select from people."session" where "userId" = $1`, [
      ada.id,
    ]);
    assert.equal(rows.length, 1, "the session of before, which the statement has not ended");
  });
});

describe("a name that leads to this server", () => {
  it("makes its page one of this server only where the server knows it", async () => {
    const ada = await makePerson(house);
    const { port } = new URL(house.url);
    const statusFrom = async (host: string): Promise<number> => {
      const { request } = await import("node:http");
      return new Promise((resolve, reject) => {
        const headers = { host, origin: `http://${host}`, "content-type": "application/json" };
        const sent = request(
          { host: "127.0.0.1", port, method: "POST", path: SIGN_IN, headers },
          (answer) => {
            answer.resume();
            resolve(answer.statusCode ?? 0);
          },
        );
        sent.on("error", reject);
        sent.end(JSON.stringify({ email: ada.email, password: PASSWORD }));
      });
    };
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, "192.0.2.7"])
      assert.equal(await statusFrom(host), 200, host);
    for (const host of ["evil.example", `127.0.0.1.evil.example:${port}`, `localhost.evil:${port}`])
      assert.equal(await statusFrom(host), 403, host);
  });
});
