import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { describe, it } from "node:test";
import { rounds } from "../../test/rounds.ts";
import { randomHex, uuidOfHex } from "../platform/uuid.ts";
import { type DeliveryName, deliveryId, laneOf, parseDeliveryId } from "./ids.ts";

const LAST_OCCASION = 2 ** 31 - 1;

/** What ids were before there were occasions: `del_` and base64url of user key and campaign. The texts were computed by hand. */
const EARLIER: readonly (readonly [userKey: string, campaignId: string, id: string])[] = [
  [
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "del_AAAAAAAAAAAAAAAAAAAAAP____________________8",
  ],
  [
    "00010203-0405-0607-0809-0a0b0c0d0e0f",
    "10111213-1415-1617-1819-1a1b1c1d1e1f",
    "del_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
  ],
];

/** Occasions at which a byte begins or ends, and others. */
const EDGES = [0, 1, 2, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24, LAST_OCCASION - 1, LAST_OCCASION];

const randomUuid = (): string => uuidOfHex(randomHex(16));
const randomName = (occasion = randomInt(2 ** 31)): DeliveryName => ({
  userKey: randomUuid(),
  campaignId: randomUuid(),
  occasion,
});

/** The text of these bytes as an id, whatever they are. */
const spelled = ({ userKey, campaignId }: DeliveryName, occasion: number): string => {
  const tail = Buffer.alloc(4);
  tail.writeInt32BE(occasion);
  const key = Buffer.from((userKey + campaignId).replaceAll("-", ""), "hex");
  return `del_${Buffer.concat([key, tail]).toString("base64url")}`;
};

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("the id of a delivery", () => {
  for (const [userKey, campaignId, id] of EARLIER)
    it(`is on the first occasion what it was before there were others: ${id}`, () => {
      assert.equal(deliveryId({ userKey, campaignId, occasion: 0 }), id);
      assert.deepEqual(parseDeliveryId(id), { lane: laneOf(userKey), userKey, campaignId, occasion: 0 });
    });

  it("says which delivery it is of, for any user, campaign and occasion", () => {
    const names = [
      ...EDGES.map(randomName),
      ...Array.from({ length: rounds(2_000, 50_000) }, () => randomName()),
    ];
    for (const name of names) {
      const id = deliveryId(name);
      assert.equal(id.length, name.occasion === 0 ? 47 : 52, id);
      assert.match(id, /^del_[A-Za-z0-9_-]+$/);
      assert.deepEqual(parseDeliveryId(id), { lane: laneOf(name.userKey), ...name }, id);
    }
    assert.equal(new Set(names.map(deliveryId)).size, names.length);
  });

  it("differs by nothing but its end between occasions beyond the first", () => {
    const name = randomName();
    const ids = EDGES.filter((occasion) => occasion > 0).map((occasion) => deliveryId({ ...name, occasion }));
    assert.equal(new Set(ids).size, ids.length);
    // 42 characters are of the key alone; the next one has 4 bits of it.
    for (const id of ids) assert.equal(id.slice(0, 46), deliveryId({ ...name, occasion: 0 }).slice(0, 46));
  });

  it("has one spelling: with another last character it is another delivery, or none", () => {
    for (const occasion of EDGES) {
      const id = deliveryId(randomName(occasion));
      const read = [...ALPHABET].flatMap((character) => {
        const key = parseDeliveryId(id.slice(0, -1) + character);
        if (key !== null) assert.equal(deliveryId(key), id.slice(0, -1) + character);
        return key ?? [];
      });
      // 32 bytes leave two bits of the last character over; 36 leave none, and one of these characters may spell the first occasion.
      const taken = occasion === 0 ? 16 : occasion < 64 ? 63 : 64;
      assert.equal(new Set(read.map(deliveryId)).size, taken, id);
      assert.ok(read.every((key) => (key.occasion === 0) === (occasion === 0)));
    }
  });

  it("is not taken with an occasion that has no such spelling", () => {
    for (let round = 0; round < rounds(200, 5_000); round++) {
      const name = randomName();
      // 48 characters for the first occasion, which has 43; occasions below it; and the least of all.
      for (const occasion of [0, -1, -randomInt(1, 2 ** 31), -(2 ** 31)])
        assert.equal(parseDeliveryId(spelled(name, occasion)), null, `${occasion}`);
      for (const occasion of [1, LAST_OCCASION]) assert.ok(parseDeliveryId(spelled(name, occasion)));
    }
  });

  it("is no text of another length, alphabet or kind", () => {
    const { userKey, campaignId } = randomName();
    for (const occasion of [0, 1]) {
      const id = deliveryId({ userKey, campaignId, occasion });
      const body = id.slice("del_".length);
      for (let length = 0; length < body.length; length++)
        if (occasion === 0 || length !== 43) assert.equal(parseDeliveryId(id.slice(0, 4 + length)), null);
      for (let more = 1; more < 20; more++)
        if (occasion === 1 || more !== 5) assert.equal(parseDeliveryId(id + "A".repeat(more)), null);
      for (const text of [
        "",
        "del_",
        body,
        `cmp_${body}`,
        `DEL_${body}`,
        ` ${id}`,
        `${id} `,
        `${id}\n`,
        `${id}=`,
        `del_${body.slice(0, -1)}+`,
        `del_${body.slice(0, -1)}/`,
        `del_${body.slice(0, -1)}é`,
        `del_${body.slice(0, -1)}\0`,
      ])
        assert.equal(parseDeliveryId(text), null, JSON.stringify(text));
    }
    // What is left of an id of occasion 1 that was cut off after 43 characters is the first delivery of the same user.
    const [first, again] = [0, 1].map((occasion) => deliveryId({ userKey, campaignId, occasion }));
    assert.equal(again?.slice(0, 47), first);
  });
});
