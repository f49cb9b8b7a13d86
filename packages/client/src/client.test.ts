import assert from "node:assert/strict";
import { it } from "node:test";
import { operations } from "./generated/operations.ts";
import { operations as peopleOperations } from "./generated/people-operations.ts";
import { createClient, createPeopleClient } from "./index.ts";

it("offers programs no operation of people, neither in its types nor when it runs", () => {
  const client = createClient("http://127.0.0.1", "pk_test");
  assert.deepEqual(Object.keys(client), Object.keys(operations));
  // @ts-expect-error No key may list people.
  assert.equal(client.listPeople, undefined);
  const ofPeople = createPeopleClient("http://127.0.0.1", {});
  assert.equal(typeof ofPeople.listPeople, "function");
  assert.deepEqual(Object.keys(ofPeople).sort(), Object.keys({ ...operations, ...peopleOperations }).sort());
});
