import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints } from "../src/features.ts";
import { type Budget, defaultBudgets } from "../src/platform/http/budgets/budget.ts";
import { type TestProject, testHouse } from "./harness.ts";
import { nowhere } from "./project-world.ts";
import { keyOf, sampleOf, send } from "./samples.ts";

/** A limit of its own for each group, so that one that is counted under another name shows. */
const limits = Object.fromEntries(Object.keys(defaultBudgets).map((name, index) => [name, index + 1]));
const house = testHouse({ rateLimits: limits, mode: "managed" });

const budgets = Object.keys(defaultBudgets) as Budget[];
/** docs/running.md lists them for callers that pace their requests. */
const operationsOf = (budget: Budget) => endpoints.filter(({ spec }) => spec.budget === budget);

describe("the budget of a group", () => {
  /** Asks an operation for what is not there, which counts as any request does. */
  const statusOf = async (project: TestProject, { spec }: (typeof endpoints)[number]): Promise<number> =>
    (await send(house, spec, { ...sampleOf(spec, nowhere), key: keyOf(project, spec) })).status;

  for (const budget of budgets) {
    it(`${budget}: its operations share it, whatever they answer, and no other has a part in it`, async () => {
      const project = await house.project();
      const own = operationsOf(budget);
      const size = limits[budget] ?? 0;
      for (let sent = 0; sent < size; sent++) {
        const operation = own[sent % own.length] ?? assert.fail();
        assert.notEqual(
          await statusOf(project, operation),
          429,
          `${operation.spec.id} is number ${sent + 1}`,
        );
      }
      for (const operation of own) assert.equal(await statusOf(project, operation), 429, operation.spec.id);
      for (const other of budgets.filter((name) => name !== budget)) {
        const [operation = assert.fail()] = operationsOf(other);
        assert.notEqual(await statusOf(project, operation), 429, other);
      }
      const [operation = assert.fail()] = own;
      assert.notEqual(await statusOf(await house.project(), operation), 429);
    });
  }
});
