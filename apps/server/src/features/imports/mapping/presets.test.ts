import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvFile, objectsFile, readGuessed } from "./files.test-data.ts";
import { guessMapping } from "./guess.pure.ts";
import { stopsKnown } from "./presets.pure.ts";

const user = (id: string, traits: object, firstSeenAt: string | null = null, stop: object | null = null) => ({
  read: {
    kind: "users",
    user: { id },
    traits: JSON.stringify(traits),
    firstSeenAt: firstSeenAt === null ? null : Date.parse(firstSeenAt),
    stop,
  },
});
const stopped = (address: string, reason: string, at: string | null = null) => ({
  address,
  reason,
  at: at === null ? null : Date.parse(at),
});
const suppression = (stop: object | null) => ({ read: { kind: "suppressions", stop } });
const fault = (field: string, rule: string, text: string) => ({ faults: [{ field, rule, text }] });

describe("people of Customer.io", () => {
  const file = csvFile(
    [
      "id,cio_id,email,unsubscribed,created_at,plan,seats,zip,cio_subscription_preferences",
      'user_1,c1,A.Lovelace@Example.com,false,1700000000,pro,7,01067,"{""topics"":{""topic_1"":false}}"',
      ",c2,B@example.com,true,,,,,",
      "user_3,c3,,,1700000000,free,3,10001,",
      "undefined,c4,c@example.com,false,,,,,",
      "user_5,c5,c at example.com,true,,,,,",
    ].join("\n"),
  );

  it("are users, by their id, else by their address", () => {
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "customerio");
    assert.equal(found.knowsStops, true);
    assert.deepEqual(found.warnings, []);
    assert.deepEqual(readGuessed("users", file), [
      user(
        "user_1",
        {
          email: "A.Lovelace@Example.com",
          plan: "pro",
          seats: 7,
          zip: "01067",
          cio_subscription_preferences: { topics: { topic_1: false } },
        },
        "2023-11-14T22:13:20Z",
      ),
      user("b@example.com", { email: "B@example.com" }, null, stopped("B@example.com", "unsubscribed")),
      user("user_3", { plan: "free", seats: 3, zip: "10001" }, "2023-11-14T22:13:20Z"),
      fault(
        "id",
        "user_id",
        'id must be the id of one user: "undefined" is what programs write where they know none.',
      ),
      fault("email", "address", "email is not an email address."),
    ]);
  });

  it("are addresses that get no mail, where they have unsubscribed", () => {
    assert.deepEqual(readGuessed("suppressions", file), [
      suppression(null),
      suppression(stopped("B@example.com", "unsubscribed")),
      suppression(null),
      suppression(null),
      fault("email", "address", "email is not an email address."),
    ]);
  });
});

it("a list of users of Braze has no devices, and nested attributes", () => {
  const file = csvFile(
    [
      "Braze ID,country,created_at,devices,email,unsubscribed_from_emails_at,user_id,first_name,first_session,IDFAs,number_of_IDFVs,number_of_push_tokens,custom_attributes",
      '5f1,DE,2024-01-01 10:00:00 UTC,"[{""model"":""iPhone""}]",ada@example.org,,u1,Ada,2024-01-02 10:00:00 UTC,[],1,1,"{""plan"":""pro"",""cats"":[1,2]}"',
      "5f2,,,[],bob@example.org,2025-05-05 10:00:00 UTC,u2,,2024-01-02T10:00:00.000Z,[],0,0,",
      "5f3,DE,2024-01-01 10:00:00 UTC,[],eve@example.org,,,Eve,,[],0,0,",
    ].join("\n"),
  );
  assert.equal(guessMapping("users", file.format, file.records, null).preset, "braze");
  assert.deepEqual(readGuessed("users", file), [
    user(
      "u1",
      { email: "ada@example.org", country: "DE", first_name: "Ada", plan: "pro", cats: [1, 2] },
      "2024-01-01T10:00:00Z",
    ),
    user(
      "u2",
      { email: "bob@example.org" },
      "2024-01-02T10:00:00Z",
      stopped("bob@example.org", "unsubscribed", "2025-05-05T10:00:00Z"),
    ),
    fault("user_id", "missing", "user_id is empty: the line names no user."),
  ]);
});

describe("subscriptions of OneSignal", () => {
  const file = csvFile(
    [
      "id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,last_active,playtime,amount_spent,created_at,invalid_identifier,badge_count,external_user_id,notification_types,country,timezone_id",
      'a1,7abcd558f29d0b1f048083,12,en,-25200,3.2.0,17.4,0,"iPhone15,2",ad-1,"{""plan"":""pro"",""level"":""4""}",1756800000,0,0,1700000100,f,0,user_42,1,us,America/Los_Angeles',
      'a2,maya@acme.example,0,en,0,,,11,,,"",1756500000,0,0,1700000000,f,0,user_42,-2,,',
      "a3,gone@acme.example,0,de,0,,,11,,,{},1756500000,0,0,1700000000,t,0,,,,",
      "a4,fcm-token,1,en,0,,14,1,Pixel 8,,,1756300000,0,0,1700000000,t,0,user_43,-2,,",
      "a5,fcm-token-2,1,en,0,,14,1,Pixel 8,,,1756300000,0,0,1700000000,f,0,,1,,",
    ].join("\n"),
  );

  it("are users, without tokens; only an address can get no mail", () => {
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "onesignal");
    assert.equal(found.knowsStops, true);
    const lines = readGuessed("users", file);
    assert.deepEqual(lines, [
      user(
        "user_42",
        { language: "en", country: "us", timezone: "America/Los_Angeles", plan: "pro", level: "4" },
        "2023-11-14T22:15:00Z",
      ),
      user(
        "user_42",
        { email: "maya@acme.example", language: "en" },
        "2023-11-14T22:13:20Z",
        stopped("maya@acme.example", "unsubscribed"),
      ),
      user(
        "gone@acme.example",
        { email: "gone@acme.example", language: "de" },
        "2023-11-14T22:13:20Z",
        stopped("gone@acme.example", "bounced"),
      ),
      user("user_43", { language: "en" }, "2023-11-14T22:13:20Z"),
      fault("external_user_id", "missing", "external_user_id is empty: the line names no user."),
    ]);
    assert.doesNotMatch(JSON.stringify(lines), /token|7abcd|iPhone|ad-1/);
  });

  it("are addresses that get no mail", () => {
    assert.deepEqual(readGuessed("suppressions", file), [
      suppression(null),
      suppression(stopped("maya@acme.example", "unsubscribed")),
      suppression(stopped("gone@acme.example", "bounced")),
      suppression(null),
      suppression(null),
    ]);
  });
});

describe("subscribers of listmonk", () => {
  const file = csvFile(
    [
      "uuid,email,name,attributes,status,created_at,updated_at",
      '1e6,ann@example.org,Ann,"{""city"":""Bonn"",""likes"":[""go""],""name"":""A""}",enabled,2024-01-01 10:00:00.123456 +0000 UTC,2024-01-01 10:00:00.123456 +0000 UTC',
      "1e7,bob@example.org,Bob,{},blocklisted,2024-01-01 12:00:00 +0200 CEST,2025-01-01 10:00:00.5 +0000 UTC",
      "1e8,eve@example.org,,null,disabled,,",
    ].join("\n"),
  );

  it("are users by their address, of which is not known who left a list", () => {
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "listmonk");
    assert.equal(found.knowsStops, false);
    assert.match(found.warnings.join(), /subscription_status=unsubscribed/);
    assert.deepEqual(readGuessed("users", file), [
      user(
        "ann@example.org",
        { email: "ann@example.org", name: "Ann", city: "Bonn", likes: ["go"] },
        "2024-01-01T10:00:00.123Z",
      ),
      user(
        "bob@example.org",
        { email: "bob@example.org", name: "Bob" },
        "2024-01-01T10:00:00Z",
        stopped("bob@example.org", "unsubscribed", "2025-01-01T10:00:00.5Z"),
      ),
      user("eve@example.org", { email: "eve@example.org" }, null, stopped("eve@example.org", "manual")),
    ]);
  });

  it("are all of them addresses that get no mail, in a file of those", () => {
    const found = guessMapping("suppressions", file.format, file.records, null);
    assert.match(found.warnings.join(), /^Each address of this file will get no mail/);
    const left = ["ann@example.org", "bob@example.org", "eve@example.org"];
    assert.deepEqual(
      readGuessed("suppressions", file),
      left.map((address) => suppression(stopped(address, "unsubscribed"))),
    );
  });
});

describe("contacts of Mailchimp", () => {
  const names =
    "Email Address,First Name,Last Name,Birthday,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS";
  const marc =
    'marc@example.fr,Marc,C,02/03,2,,1.2.3.4,2020-02-03 04:06:00,1.2.3.4,48.1,2.3,1,2,Europe/Paris,FR,IDF,2021-01-01 00:00:00,123,abc,calls often,"""VIP"",""Blog"""';
  const traits = {
    email: "marc@example.fr",
    first_name: "Marc",
    last_name: "C",
    Birthday: "02/03",
    timezone: "Europe/Paris",
    country: "FR",
    region: "IDF",
    tags: ["VIP", "Blog"],
  };

  it("that are subscribed are users, of which is not known who left", () => {
    const file = csvFile(`${names}\n${marc}`);
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "mailchimp");
    assert.equal(found.knowsStops, false);
    assert.deepEqual(readGuessed("users", file), [user("marc@example.fr", traits, "2020-02-03T04:06:00Z")]);
    const left = guessMapping("suppressions", file.format, file.records, null);
    assert.equal(left.mapping.suppressed, undefined);
    assert.match(left.warnings.join(), /this is not the file of those who left/);
  });

  it("that have unsubscribed or were cleaned get no mail", () => {
    const gone = csvFile(`${names},UNSUB_TIME,UNSUB_REASON\n${marc},2022-02-02 02:02:02,NORMAL`);
    const stop = stopped("marc@example.fr", "unsubscribed", "2022-02-02T02:02:02Z");
    assert.equal(guessMapping("users", gone.format, gone.records, null).knowsStops, true);
    assert.deepEqual(readGuessed("users", gone), [
      user("marc@example.fr", traits, "2020-02-03T04:06:00Z", stop),
    ]);
    assert.deepEqual(readGuessed("suppressions", gone), [suppression(stop)]);
    const cleaned = csvFile(`${names},CLEAN_TIME\n${marc},2022-02-02 02:02:02`);
    assert.deepEqual(readGuessed("suppressions", cleaned), [
      suppression(stopped("marc@example.fr", "bounced", "2022-02-02T02:02:02Z")),
    ]);
  });
});

describe("events and persons of PostHog", () => {
  const event = (name: string, properties: object) => ({
    uuid: `0190-${name}`,
    event: name,
    distinct_id: "user_1",
    person_id: "0190-p",
    properties,
    timestamp: "2026-11-01T10:00:00.123456Z",
    created_at: "2026-11-01T10:00:01Z",
  });
  const properties = {
    amount: 3,
    sku: null,
    $browser: "Chrome",
    $current_url: "https://shop.example/pay",
    token: "phc_secret",
    distinct_id: "user_1",
    $set: { plan: "pro", email: "ada@example.org", $os: "Linux", gone: null },
  };
  const taken = (name: string, props: object | null, traits: object | null) => ({
    read: {
      kind: "events",
      user: { id: "user_1" },
      name,
      ts: Date.parse("2026-11-01T10:00:00.123Z"),
      eventId: `0190-${name}`,
      props: props && JSON.stringify(props),
      traits: traits && JSON.stringify(traits),
    },
  });

  const events = [event("order_paid", properties), event("$pageview", {}), event("$autocapture", { a: 1 })];
  const expected = [
    taken("order_paid", { amount: 3, sku: null, $current_url: "https://shop.example/pay" }, { plan: "pro" }),
    taken("$pageview", null, null),
    fault("event", "left_out", "event is $autocapture, which is left out."),
  ];

  it("have the customer's properties, from JSON lines and from Parquet", () => {
    const lines = objectsFile(events);
    assert.equal(guessMapping("events", lines.format, lines.records, null).preset, "posthog");
    assert.deepEqual(readGuessed("events", lines), expected);
    const table = objectsFile(
      events.map((one) => ({
        ...one,
        properties: JSON.stringify(one.properties),
        timestamp: new Date(one.timestamp),
      })),
      "parquet",
    );
    assert.deepEqual(readGuessed("events", table), expected);
  });

  it("are users, but for persons that were deleted", () => {
    const person = {
      team_id: 1n,
      distinct_id: "user_1",
      person_id: "0190-p",
      properties: '{"email":"ada@example.org","plan":"pro","$os":"Mac OS X","n":9007199254740993}',
      person_version: 3n,
      person_distinct_id_version: 0n,
      created_at: new Date("2026-11-01T10:00:00Z"),
      is_deleted: false,
    };
    const file = objectsFile(
      [
        person,
        { ...person, properties: '{"email":"ada@example.org","plan":"pro","$id":9007199254740993}' },
        { ...person, is_deleted: true },
      ],
      "parquet",
    );
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "posthog");
    assert.equal(found.knowsStops, false);
    assert.deepEqual(readGuessed("users", file), [
      fault(
        "properties.n",
        "number",
        "properties.n has a number that cannot be kept exactly: write it as a text.",
      ),
      user("user_1", { email: "ada@example.org", plan: "pro" }, "2026-11-01T10:00:00Z"),
      fault("is_deleted", "left_out", "The person was deleted in PostHog."),
    ]);
  });
});

describe("tables of a Segment warehouse", () => {
  it("have events", () => {
    const file = csvFile(
      [
        "id,received_at,anonymous_id,user_id,event,event_text,context_ip,context_library_name,sent_at,original_timestamp,timestamp,amount,sku",
        "m1,2026-01-01 10:00:01+00,an1,u1,order_paid,Order Paid,1.2.3.4,js,2026-01-01 10:00:00+00,2026-01-01 10:00:00+00,2026-01-01 10:00:00.123+00,12.5,007",
        "m2,2026-01-01 10:00:01+00,an1,,order_paid,Order Paid,1.2.3.4,js,,,2026-01-01 10:00:00+00,1,1",
        "m3,2026-01-01 10:00:01+00,an1,u1,order_paid,Order Paid,1.2.3.4,js,,,,1,1",
      ].join("\n"),
    );
    const read = (eventId: string, ts: string, props: object) => ({
      read: {
        kind: "events",
        user: { id: "u1" },
        name: "Order Paid",
        ts: Date.parse(ts),
        eventId,
        props: JSON.stringify(props),
        traits: null,
      },
    });
    assert.equal(guessMapping("events", file.format, file.records, null).preset, "segment");
    assert.deepEqual(readGuessed("events", file), [
      read("m1", "2026-01-01T10:00:00.123Z", { amount: 12.5, sku: "007" }),
      fault("user_id", "missing", "user_id is empty: the line names no user."),
      read("m3", "2026-01-01T10:00:01Z", { amount: 1, sku: "1" }),
    ]);
  });

  it("have users, in capitals where the warehouse writes them so", () => {
    const file = csvFile(
      [
        "ID,RECEIVED_AT,UUID_TS,CONTEXT_IP,EMAIL,PLAN",
        "u1,2026-01-01 10:00:00,2026-01-01,1.2.3.4,a@example.org,pro",
      ].join("\n"),
    );
    const found = guessMapping("users", file.format, file.records, null);
    assert.equal(found.preset, "segment");
    assert.equal(found.knowsStops, false);
    assert.deepEqual(readGuessed("users", file), [
      user("u1", { email: "a@example.org", PLAN: "pro" }, "2026-01-01T10:00:00Z"),
    ]);
  });
});

it("a start needs no word about who left where no address comes, or the file says it", () => {
  const rule = { column: "left", when: "true", reason: "unsubscribed" } as const;
  assert.equal(stopsKnown("users", { userId: "id" }, null), true);
  assert.equal(stopsKnown("users", { userId: "id", email: "email" }, null), false);
  assert.equal(stopsKnown("users", { userId: "id", email: "email", suppressed: [] }, null), false);
  assert.equal(stopsKnown("users", { userId: "id", email: "email", suppressed: [rule] }, null), true);
  assert.equal(stopsKnown("users", { email: "email", suppressed: [rule] }, "listmonk"), false);
  assert.equal(stopsKnown("users", { userId: "id", traits: "rest" }, null), false);
  const named = (as: string) => ({ userId: "id", traits: [{ column: "a", as, type: "json" as const }] });
  assert.equal(stopsKnown("users", named("*"), null), false);
  assert.equal(stopsKnown("users", named("email"), null), false);
  assert.equal(stopsKnown("users", named("plan"), null), true);
  assert.equal(stopsKnown("events", { userId: "id", event: "e", ts: "t" }, "posthog"), true);
  assert.equal(stopsKnown("suppressions", { email: "email" }, null), true);
});
