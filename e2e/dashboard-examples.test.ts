import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { people } from "../apps/server/test/email.ts";
import { complaintsOf, openedBy, pageOf } from "./dashboard.ts";
import { follow, listsOf } from "./examples.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
const LISTS = listsOf(await readFile(new URL("../docs/examples.md", import.meta.url), "utf8"));
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

it("docs/examples.md leads somebody who writes no code to a newsletter, a trial reminder and a receipt", async (t) => {
  const page = await newPage(t);
  const complaints = complaintsOf(page);
  house.at(Date.now());
  const [project, person] = await openedBy(house, page, "owner", { isOperator: true });
  await people(project, ["ada", "bo"], "acme.example");

  /** Does what the list of a heading says, the first of them where none is given; what is due is done after each item. */
  const doList = async (heading: string, nth = 0): Promise<void> => {
    const list = LISTS.get(heading)?.[nth];
    assert.ok(list !== undefined && list.length > 0, `${heading} has no list ${nth + 1}`);
    // Opened anew, so that no figure is one of before.
    await page.goto(pageOf(house, project, "overview"));
    for (const item of list) {
      await follow(page, item).catch((cause: unknown) =>
        assert.fail(`${heading}: ${item}\n${String(cause)}`),
      );
      await house.drain();
    }
  };
  const { listCaughtMail } = createPeopleClient(house.url, person.headers(project.projectId));
  /** The mail that was caught, with who would have got it. */
  const caught = async (): Promise<string[]> =>
    (await listCaughtMail()).mails.map(({ recipient, subject }) => `${recipient}: ${subject}`).toSorted();

  await doList("First: who writes your mail");
  await doList("A newsletter");
  await doList("A newsletter", 1);
  const news = ["ada@acme.example: What is new in March", "bo@acme.example: What is new in March"];
  assert.deepEqual(
    (await caught()).filter((each) => news.includes(each)),
    news,
  );

  await doList("A trial reminder");
  for (const userId of ["ada", "bo"]) await project.api.track({ body: { userId, event: "trial_started" } });
  await house.drain();
  house.advance(MINUTE_MS);
  await house.drain();
  assert.ok((await caught()).includes("ada@acme.example: Welcome to Acme"));
  await doList("A trial reminder", 1);
  await project.api.track({ body: { userId: "ada", event: "subscribed" } });
  await house.drain();
  house.advance(4 * DAY_MS);
  await house.drain();
  // Mail that this makes leaves a little later.
  house.advance(MINUTE_MS);
  await house.drain();
  // Nothing more for who has bought.
  assert.deepEqual(
    (await caught()).filter((each) => each.endsWith("How is it going?")),
    ["bo@acme.example: How is it going?"],
  );

  await doList("A receipt");
  const data = { number: "1007", total: "12.00 €" };
  await project.api.sendMail({ body: { template: "receipt", to: { email: "ada@acme.example" }, data } });
  await house.drain();
  const receipts = (await caught()).filter((each) => each === "ada@acme.example: Your order 1007");
  assert.equal(receipts.length, 1);
  await doList("A receipt", 1);
  assert.deepEqual(complaints, []);
  assert.deepEqual(await house.differences(project.projectId), {});
});
