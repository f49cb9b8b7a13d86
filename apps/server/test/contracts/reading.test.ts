import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PlacedTable, Reader } from "../../scripts/statements/reading.ts";
import type { Reach } from "../../src/platform/db/statements/statement.ts";

const table = (lies: PlacedTable["lies"], ...columns: string[]): PlacedTable => ({
  lies,
  columns: new Set(columns),
});
const reader = new Reader(
  new Map([
    ["users", table("userKey", "lane", "user_key", "project_id", "traits")],
    ["events", table("userKey", "lane", "user_key", "name", "ts")],
    ["addresses", table("addressKey", "lane", "address_key")],
    ["counts", table("counter", "lane", "campaign_id", "shown")],
    ["campaigns", table("reference", "id", "project_id", "status")],
    ["processes", table("local", "id")],
  ]),
);
const KEYS = "with input as (select * from unnest($1::int2[], $2::uuid[]) as i (lane, user_key))";

const REACHES: readonly (readonly [text: string, reach: Reach])[] = [
  ["select 1", "local"],
  ["select from processes", "local"],
  ["select from campaigns where id = $1", "config"],
  ["select from campaigns c, processes p where p.id = c.id", "local"],

  // One user, however the key is given.
  ["select from users where lane = $1 and user_key = $2", "key"],
  ["select from users where (lane, user_key) = ($1, $2)", "key"],
  ["select from users where lane = any($1) and user_key = any($2)", "key"],
  ["select from users where lane in ($1, $2) and user_key in ($3)", "key"],
  [
    "select from users where (lane, user_key) in (select lane, user_key from events where lane = $1 and user_key = $2)",
    "key",
  ],
  ["select from users u where u.lane = $1::int2 and u.user_key = $2::uuid and u.traits is not null", "key"],
  [`${KEYS} select from input i join users u on u.lane = i.lane and u.user_key = i.user_key`, "key"],
  [`${KEYS} select from input join users using (lane, user_key)`, "key"],
  [
    `${KEYS} update users u set traits = null from input i where u.lane = i.lane and u.user_key = i.user_key`,
    "key",
  ],
  [`${KEYS} delete from users u using input i where u.lane = i.lane and u.user_key = i.user_key`, "key"],
  ["insert into users (lane, user_key) values ($1, $2)", "key"],
  // What belongs to a user who is given is given too, in a part of its own or beside.
  [
    "select from users u join events e on e.lane = u.lane and e.user_key = u.user_key where u.lane = $1 and u.user_key = $2",
    "key",
  ],
  [
    "select exists (select from events e where e.lane = u.lane and e.user_key = u.user_key) from users u where u.lane = $1 and u.user_key = $2",
    "key",
  ],
  [
    "select from campaigns c join users u on u.project_id = c.project_id and u.lane = $1 and u.user_key = $2",
    "key",
  ],
  ["select from users where (lane = $1 and user_key = $2) or (lane = $3 and user_key = $4)", "key"],
  ["insert into counts (lane, campaign_id) values ($1, $2) on conflict do nothing", "key"],

  // A user, and the user's address, which lies elsewhere.
  [
    "select from users u, addresses a where u.lane = $1 and u.user_key = $2 and a.lane = $3 and a.address_key = $4",
    "keys",
  ],

  // An outer join to what belongs to the user.
  [
    "select from users u left join events e on e.lane = u.lane and e.user_key = u.user_key where u.lane = $1 and u.user_key = $2",
    "key",
  ],
  [
    "select from users u left join events e using (lane, user_key) where u.lane = $1 and u.user_key = $2",
    "key",
  ],

  // All of a lane.
  ["select from users where lane = $1 order by user_key limit 10", "lane"],
  ["select from users where lane = $1 and user_key > $2", "lane"],
  ["select from users u join events e using (lane) where u.lane = $1", "lane"],
  ["select from users where lane = $1 and (user_key = $2 or traits is null)", "lane"],

  // Any.
  ["select from users", "all lanes"],
  ["select from users where project_id = $1", "all lanes"],
  ["select from users where user_key is not null and lane <> $1", "all lanes"],
  ["select from users where (lane, user_key) > ($1, $2) limit 10", "all lanes"],
  ["select from users where lane = $1 or project_id = $2", "all lanes"],
  // Two tables that only give each other their key.
  [
    "select from users u join events e on e.lane = u.lane and e.user_key = u.user_key where e.name = $1",
    "all lanes",
  ],
  ["select from generate_series(0, 63) n (lane) join users u on u.lane = n.lane", "all lanes"],
  [
    "with found as (select lane, user_key from users where project_id = $1) select from found join events using (lane, user_key)",
    "all lanes",
  ],
  ["delete from events where ts < $1", "all lanes"],
  // An outer join keeps the rows of one side, whatever its condition says of them.
  [
    "select from users u left join events e on u.lane = $1 and u.user_key = $2 and e.lane = $1 and e.user_key = $2",
    "all lanes",
  ],
  [
    "select from events e full join users u using (lane, user_key) where e.lane = $1 and e.user_key = $2",
    "all lanes",
  ],
  [
    "with numbers as (select n as lane from generate_series(0, 63) n) select from numbers join users using (lane)",
    "all lanes",
  ],
  [
    "select from (select n as lane from generate_series(0, 63) n) l join users u on u.lane = l.lane",
    "all lanes",
  ],
  ["declare pages cursor for select from users where project_id = $1", "all lanes"],
  [
    "select from campaigns c where exists (select from users u where u.project_id = c.project_id)",
    "all lanes",
  ],
  [
    "select count(*) from users where lane = $1 and user_key = $2 union all select count(*) from events",
    "all lanes",
  ],
];

describe("what a statement does", () => {
  for (const [text, reach] of REACHES)
    it(`${reach}: ${text}`, () => assert.equal(reader.read(text).reach, reach));

  it("names the tables of which it may read or write rows in any lane", () => {
    const { unbound } = reader.read(
      "select from users u left join events e on e.lane = u.lane where u.traits is null and e.ts > 1",
    );
    assert.deepEqual(unbound, ["events", "users"]);
  });

  it("is read from all its parts: reads, writes, and locks with their order", () => {
    const { reads, writes, locks } = reader.read(`
      with gone as (delete from events e using users u where e.lane = u.lane returning e.lane),
      locked as (select from users u join campaigns c on true order by u.lane, u.user_key for no key update of u),
      one as (select from campaigns where id = $1 for share skip locked),
      added as (insert into counts (lane) select lane from gone on conflict (lane) do update set shown = 1),
      made as (insert into addresses (lane) values (1) on conflict do nothing)
      update users u set traits = null from locked`);
    assert.deepEqual(reads, ["campaigns", "users"]);
    assert.deepEqual(
      [...writes],
      [
        ["addresses", ["insert"]],
        ["counts", ["insert", "update"]],
        ["events", ["delete"]],
        ["users", ["update"]],
      ],
    );
    assert.deepEqual(locks, [
      { tables: ["users"], strength: "no key update", order: "lane, user_key", isSkipping: false },
      { tables: ["campaigns"], strength: "share", order: "", isSkipping: true },
    ]);
  });

  it("cannot be read from what is no SQL", () => {
    assert.throws(() => reader.read("select from where"), /syntax error/);
  });
});
