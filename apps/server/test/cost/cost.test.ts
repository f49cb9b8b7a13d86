import assert from "node:assert/strict";
import { it } from "node:test";
import { testHouse } from "../harness.ts";
import { casesOfRun } from "../rounds.ts";
import { costShapes, fillers, sendShape } from "./shapes.ts";

const house = testHouse();

/** A brief run sends a fifth of them, another one each day. */
const BRIEF_PARTS = 5;

// What they cost is measured by bench/cost.ts: here each is answered, and as it should be.
it("answers the most expensive requests of every operation", async (t) => {
  const project = await house.project();
  for (const shape of fillers()) {
    const { status, text } = await sendShape(house.url, project, shape);
    assert.ok(shape.statuses.includes(status), `${shape.operation}: ${status} ${text.slice(0, 300)}`);
  }
  const all = costShapes();
  const shapes = casesOfRun(all, BRIEF_PARTS);
  const wrong: string[] = [];
  for (const shape of shapes) {
    const { status, text } = await sendShape(house.url, project, shape);
    if (!shape.statuses.includes(status))
      wrong.push(`${shape.operation}, ${shape.name}: ${status} ${text.slice(0, 300)}`);
  }
  t.diagnostic(`${shapes.length} of ${all.length} requests`);
  assert.deepEqual(wrong, []);
});
