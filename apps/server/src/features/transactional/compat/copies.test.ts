import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { copiesOf, type SharedMail } from "./copies.pure.ts";

const box = (address: string, name: string | null = null) => ({ name, address });
const MAIL: SharedMail = {
  content: { own: { subject: "Hello", html: null, text: "Hi" } },
  from: null,
  to: [],
  cc: [],
  bcc: [],
  replyTo: [],
  headers: [],
  attachments: [],
  sendAt: null,
  tags: {},
};

describe("the copies of a mail", () => {
  it("are one for each recipient, and show the lists but for blind copies", () => {
    const to = [box("b@x.example", "B"), box("a@x.example")];
    const cc = [box("c@x.example")];
    const copies = copiesOf({ ...MAIL, to, cc, bcc: [box("d@x.example", "D")] });
    assert.deepEqual(
      copies.map((copy) => copy.to),
      [
        { email: "b@x.example", name: "B" },
        { email: "a@x.example", name: null },
        { email: "c@x.example", name: null },
        { email: "d@x.example", name: "D" },
      ],
    );
    for (const copy of copies) {
      assert.deepEqual(copy.shownTo, to);
      assert.deepEqual(copy.shownCc, cc);
      assert.equal("bcc" in copy || "cc" in copy, false);
    }
  });

  it("are one for an address that is listed twice, in whatever case", () => {
    const copies = copiesOf({
      ...MAIL,
      to: [box("a@x.example"), box("A@x.example")],
      cc: [box("a@X.example")],
      bcc: [box("b@x.example"), box("a@x.example")],
    });
    assert.deepEqual(
      copies.map((copy) => copy.to),
      [
        { email: "a@x.example", name: null },
        { email: "b@x.example", name: null },
      ],
    );
  });
});
