import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startFile, uploadFile } from "../../../test/bringing.ts";
import { testHouse } from "../../../test/harness.ts";

const house = testHouse();

describe("events that a file has several times", () => {
  it("are judged by a trial as they are brought in: by what is stored, and by the lines before", async () => {
    const project = await house.project();
    const known = { userId: "ann", event: "paid", eventId: "stored", props: { n: 1 } };
    await project.sdk.track({ body: known });
    const line = (id: string, n: number | "") => `ann,paid,2026-01-02T10:00:00Z,${id},${n}\n`;
    const lines = [
      ["new", 1],
      ["new", 1],
      ["new", 2],
      ["stored", 2],
      ["stored", 2],
      ["stored", 1],
      ["", 3],
      ["", 3],
      ["bare", ""],
    ] as const;
    const mapping = {
      userId: "id",
      event: "event",
      ts: "at",
      eventId: "occurrence",
      props: [{ column: "n", as: "n", type: "number" as const }],
    };
    const file = `id,event,at,occurrence,n\n${lines.map(([id, n]) => line(id, n)).join("")}`;
    const id = await uploadFile(project, file, { kind: "events" });
    const countsOf = async (dryRun: boolean) => {
      const { written, known, refused, reasons } = await startFile(house, project, id, { mapping, dryRun });
      return { written, known, refused, firstLines: reasons.map(({ firstLine }) => firstLine) };
    };
    const tried = await countsOf(true);
    assert.deepEqual(tried, { written: 3, known: 3, refused: 3, firstLines: [4] });
    assert.deepEqual(await countsOf(false), tried);
    const { events } = await project.api.listUserEvents({ path: { id: "ann" } });
    assert.deepEqual(events.map(({ props }) => props?.n ?? null).sort(), [1, 1, 3, null]);
    assert.deepEqual(await house.differences(), {});
  });
});

it("a list of events that was taken out changes nothing in its own project, and brings them to another one", async () => {
  const [project, other] = [await house.project(), await house.project()];
  await project.sdk.track({ body: { userId: "ann", event: "paid", eventId: "=own", props: { n: 1 } } });
  await project.sdk.track({ body: { userId: "ann", event: "left" } });
  for (const format of ["csv", "ndjson"]) {
    const answer = await fetch(`${house.url}/api/v1/extracts/events.${format}`, {
      headers: { authorization: `Bearer ${project.secretKey}` },
    });
    const list = Buffer.from(await answer.arrayBuffer());
    const countsIn = async (into: typeof project) => {
      const id = await uploadFile(into, list, { kind: "events", name: `events.${format}` });
      const { written, known, refused } = await startFile(house, into, id);
      return { written, known, refused };
    };
    const isFirst = format === "csv";
    assert.deepEqual(await countsIn(project), { written: 0, known: 2, refused: 0 }, format);
    const there = isFirst ? { written: 2, known: 0, refused: 0 } : { written: 0, known: 2, refused: 0 };
    assert.deepEqual(await countsIn(other), there, format);
  }
});
