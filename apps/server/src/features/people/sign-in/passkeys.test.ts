import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Authenticator, createAuthenticator } from "../../../../test/authenticator.ts";
import { testHouse } from "../../../../test/harness.ts";
import { makePerson, PASSWORD, signIn, type TestPerson } from "../../../../test/people.ts";
import { collide, untilWaiting } from "../../../../test/waiting.ts";
import { SCOPE_HEADER } from "../../../platform/http/admission/admit-person.ts";

const house = testHouse();
const NEW_PASSWORD = "another horse battery";

type Answer = { status: number; body: Record<string, unknown>; cookies: string };

/** Browsers bind passkeys to names, so that the page lies at this one. */
const origin = (): string => `http://localhost:${new URL(house.url).port}`;

async function ask(method: string, path: string, cookie: string, sent?: unknown): Promise<Answer> {
  const response = await fetch(house.url + path, {
    method,
    headers: { cookie, origin: house.url, "content-type": "application/json", [SCOPE_HEADER]: "-" },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  const cookies = response.headers.getSetCookie().map((each) => each.split(";")[0] ?? "");
  return { status: response.status, body: text === "" ? {} : JSON.parse(text), cookies: cookies.join("; ") };
}

const auth = (path: string): string => `/api/people/auth/${path}`;

/** The challenge of a registration or a sign-in, and the cookies with which it is answered. */
async function challenged(path: string, cookie = ""): Promise<{ challenge: string; cookie: string }> {
  const { status, body, cookies } = await ask("GET", auth(`passkey/${path}`), cookie);
  assert.equal(status, 200, JSON.stringify(body));
  return { challenge: String(body.challenge), cookie: [cookie, cookies].filter(Boolean).join("; ") };
}

/** Everything up to the last request, which then registers the passkey of a device, or signs in with it. */
async function registering(device: Authenticator, { cookie }: TestPerson): Promise<() => Promise<Answer>> {
  const begun = await challenged("generate-register-options", cookie);
  const response = device.make(begun.challenge);
  return () => ask("POST", auth("passkey/verify-registration"), begun.cookie, { response });
}

async function signingIn(device: Authenticator): Promise<() => Promise<Answer>> {
  const begun = await challenged("generate-authenticate-options");
  const response = device.sign(begun.challenge);
  return () => ask("POST", auth("passkey/verify-authentication"), begun.cookie, { response });
}

let made: Promise<TestPerson> | undefined;
const theOperator = (): Promise<TestPerson> => {
  made ??= makePerson(house, { role: "owner", isOperator: true });
  return made;
};

/** Everything up to the last request, which then sets a new password by a link. */
async function resetting({ id }: TestPerson): Promise<() => Promise<Answer>> {
  const operator = await theOperator();
  const { body } = await ask("POST", `/api/people/people/${id}/password-link`, operator.cookie, {});
  const token = new URL(String(body.link)).hash.slice(1);
  return () => ask("POST", "/api/people/links/use", "", { token, password: NEW_PASSWORD });
}

async function countSessions({ id }: TestPerson): Promise<number> {
  const { rowCount } = await house.database.pool.query(`select from people."session" where "userId" = $1`, [
    id,
  ]);
  return rowCount ?? 0;
}

/** A statement that locks all that a person signs in with, of which there is one passkey. */
const locking = ({ id }: TestPerson, lock: string) => ({
  text: `select from people."user" u join people."account" a on a."userId" = u."id" join people."passkey" k on k."userId" = u."id"
    where u."id" = $1 ${lock}`,
  values: [id],
});

/** A lock, and the order in which those wait for it who do something at once. */
const RACES = [
  ["for update", ["registers", "signs in", "removes", "resets"]],
  ["for update", ["resets", "removes", "signs in", "registers"]],
  // With this lock a passkey can be used, and not be removed: the reset has done all but that, and the others come into its midst.
  ["for key share of k", ["resets", "registers", "signs in", "removes"]],
] as const;

describe("a passkey of before a password was set by a link", () => {
  for (const [lock, order] of RACES)
    it(`lets nobody in afterwards: ${order.join(", ")}, ${lock}`, async () => {
      const [operator, ada] = [await theOperator(), await makePerson(house)];
      const [known, fresh] = [createAuthenticator(origin()), createAuthenticator(origin())];
      assert.equal((await (await registering(known, ada))()).status, 200);
      const requests = {
        registers: await registering(fresh, ada),
        "signs in": await signingIn(known),
        removes: () => ask("DELETE", `/api/people/people/${ada.id}/passkeys`, operator.cookie),
        resets: await resetting(ada),
      };
      await collide(
        house,
        locking(ada, lock),
        order.map((each) => requests[each]),
      );
      assert.equal(await countSessions(ada), 0);
      for (const device of [known, fresh]) assert.equal((await (await signingIn(device))()).status, 401);
      await signIn(house, ada.email, NEW_PASSWORD);
    });
});

describe("a passkey that signs in while its person changes the password", () => {
  it("lets nobody in afterwards", async () => {
    const ada = await makePerson(house);
    const device = createAuthenticator(origin());
    assert.equal((await (await registering(device, ada))()).status, 200);
    const signsIn = await signingIn(device);
    const holder = await house.database.background.pool.connect();
    try {
      await holder.query("begin");
      // The password is new, and the passkeys are still there.
      const { text, values } = locking(ada, "for key share of k");
      await holder.query(text, values);
      const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
      const changing = ask("POST", auth("change-password"), ada.cookie, change);
      await untilWaiting(house, 1);
      assert.equal((await signsIn()).status, 200);
      await holder.query("commit");
      const changed = await changing;
      assert.equal(changed.status, 200);
      const { rows } = await house.database.pool.query(
        `select "token" from people."session" where "userId" = $1`,
        [ada.id],
      );
      assert.deepEqual(
        rows.map(({ token }) => changed.cookies.includes(token)),
        [true],
        "the one that the change began",
      );
    } finally {
      holder.release();
    }
  });
});
