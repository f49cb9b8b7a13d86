import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { getMigrations } from "better-auth/db/migration";
import pg from "pg";
import { testHouse } from "../../../../test/harness.ts";
import { identityOptions } from "./identity.ts";
import { personOrigin, takesPasskeys } from "./origin.ts";
import { sessionCookieIn } from "./session-cookie.ts";

const house = testHouse();

describe("the library of the sign-in", () => {
  it("finds its tables as it wants them: the migration made them all", async () => {
    // Compared is what the path leads to; the server itself names the schema.
    const options = "-c search_path=people";
    const pool = new pg.Pool({ ...house.database.pool.options, options, max: 1 });
    after(() => pool.end());
    const plan = await getMigrations({ ...(await identityOptions(house.tidings.app)), database: pool });
    assert.deepEqual(
      [plan.toBeCreated, plan.toBeAdded, plan.toBeAddedIndexes, plan.unsafeChanges, plan.schemaProblems],
      [[], [], [], [], []],
    );
    assert.equal((await plan.compileMigrations()).replace(/[;\s]/g, ""), "");
  });
});

describe("the address of the dashboard", () => {
  it("is the public one, else this machine by its name", () => {
    const local = { publicUrl: null };
    assert.equal(personOrigin("http://127.0.0.1:8080", local), "http://localhost:8080");
    assert.equal(personOrigin("http://0.0.0.0:80", local), "http://localhost");
    assert.equal(personOrigin("http://[::]:8080", local), "http://localhost:8080");
    assert.equal(personOrigin("http://192.0.2.7:8080", local), "http://192.0.2.7:8080");
    const publicUrl = "https://tidings.example.com";
    assert.equal(personOrigin(publicUrl, { publicUrl }), publicUrl);
    assert.equal(
      personOrigin("http://127.0.0.1:1", { publicUrl: "http://127.0.0.1:1" }),
      "http://127.0.0.1:1",
    );
  });

  it("takes passkeys where it is a name that a browser trusts", () => {
    assert.ok(takesPasskeys("http://localhost:8080"));
    assert.ok(takesPasskeys("https://tidings.example.com"));
    for (const origin of ["http://tidings.example.com", "https://192.0.2.7", "http://[::1]:8080"])
      assert.ok(!takesPasskeys(origin), origin);
  });
});

it("finds the cookie of a session among others, also behind TLS", () => {
  assert.equal(sessionCookieIn("a=b; tidings.session_token=x.y%3D; c=d"), "tidings.session_token=x.y%3D");
  assert.equal(sessionCookieIn("__Secure-tidings.session_token=x.y"), "__Secure-tidings.session_token=x.y");
  for (const cookies of ["", "a=b", "xtidings.session_token=x", "tidings.session_token="])
    assert.equal(sessionCookieIn(cookies), null, cookies);
});
