import assert from "node:assert/strict";
import { createHash, createVerify, generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { mailOf, TRACKED } from "../../../../../test/compiled-mail.ts";
import { type DkimKey, signDkim } from "../public.ts";

const keys = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

/** RFC 6376, 3.4.2. */
const relaxedHeader = (field: string): string => {
  const colon = field.indexOf(":");
  const value = field
    .slice(colon + 1)
    .replace(/\r\n/g, "")
    .replace(/[ \t]+/g, " ")
    .trim();
  return `${field.slice(0, colon).trim().toLowerCase()}:${value}`;
};

/** RFC 6376, 3.4.4. */
const relaxedBody = (body: string): string =>
  body
    .replace(/[ \t]+(?=\r\n)/g, "")
    .replace(/[ \t]+/g, " ")
    .replace(/(\r\n)*$/, "\r\n");

/** The names it signs, or what is wrong with the signature (RFC 6376, 6.1, for one signature, relaxed/relaxed). */
function verify(mail: string): { signs: string[] } | { wrong: string } {
  const end = mail.indexOf("\r\n\r\n");
  const fields = mail.slice(0, end).split(/\r\n(?![ \t])/);
  const signature = fields.shift() ?? "";
  const tags = new Map(
    relaxedHeader(signature)
      .slice("dkim-signature:".length)
      .split(";")
      .map((tag): [string, string] => [
        tag.slice(0, tag.indexOf("=")).trim(),
        tag.slice(tag.indexOf("=") + 1).trim(),
      ]),
  );
  if (tags.get("a") !== "rsa-sha256" || tags.get("c") !== "relaxed/relaxed") return { wrong: "algorithm" };
  const hash = createHash("sha256")
    .update(relaxedBody(mail.slice(end + 4)), "latin1")
    .digest("base64");
  if (hash !== tags.get("bh")?.replaceAll(" ", "")) return { wrong: "body" };
  const signs = (tags.get("h") ?? "").toLowerCase().replaceAll(" ", "").split(":");
  const unsigned = [...fields];
  const hashed = signs.flatMap((name) => {
    const at = unsigned.findLastIndex((field) => field.toLowerCase().startsWith(`${name}:`));
    return at < 0 ? [] : unsigned.splice(at, 1).map((field) => `${relaxedHeader(field)}\r\n`);
  });
  const own = relaxedHeader(signature.replace(/(;\s*b=)[\s\S]*$/, "$1"));
  const isGood = createVerify("RSA-SHA256")
    .update(hashed.join("") + own, "latin1")
    .verify(keys.publicKey, tags.get("b")?.replaceAll(" ", "") ?? "", "base64");
  return isGood ? { signs } : { wrong: "signature" };
}

const mail = await mailOf(
  {
    subject: "Hëllo {{ user.x }}",
    body: "a  \n\n    b   c\n\nend",
    cta: { label: "Go", url: "https://a.example" },
  },
  { x: "🎉".repeat(80) },
  TRACKED,
);
const key: DkimKey = { domain: "shop.example", selector: "s1", privateKey: keys.privateKey };
const signed = (await signDkim(Buffer.from(mail.raw, "latin1"), key)).toString("latin1");

describe("a signed mail", () => {
  it("is the mail with a signature in front that anybody can check", () => {
    assert.ok(signed.endsWith(mail.raw));
    assert.match(signed, /^DKIM-Signature: [\s\S]*d=shop\.example;[\s\S]*s=s1;/);
    const found = verify(signed);
    assert.deepEqual("signs" in found ? found.signs.sort() : found, [
      "auto-submitted",
      "content-type",
      "date",
      "from",
      "from",
      "list-unsubscribe",
      "list-unsubscribe-post",
      "message-id",
      "mime-version",
      "subject",
      "subject",
      "to",
      "to",
    ]);
  });

  for (const [what, tamper] of [
    ["the sender", (text: string) => text.replace("From: ", "From: x")],
    ["the subject", (text: string) => text.replace("Subject:", "Subject: x")],
    ["the link to unsubscribe", (text: string) => text.replace("/unsubscribe>", "/elsewhere>")],
    ...["From: evil@evil.example", "To: b@b.example", "Subject: Win"].flatMap((field) => [
      // Mail programs show the first one or the last one: neither place may be free.
      [
        `there is a second "${field}", above`,
        (text: string) => text.replace("From: ", `${field}\r\nFrom: `),
      ] as const,
      [
        `there is a second "${field}", below`,
        (text: string) => text.replace("MIME-Version: ", `${field}\r\nMIME-Version: `),
      ] as const,
    ]),
    ["the body", (text: string) => text.replace("Shop Ltd", "Shop Inc")],
  ] as const) {
    it(`no longer holds when ${what} was changed`, () => {
      assert.notEqual(tamper(signed), signed);
      assert.ok("wrong" in verify(tamper(signed)));
    });
  }

  it("still holds when a server on the way has refolded it", () => {
    const refolded = signed.replace("\r\nTo: ", "\r\nTo:   ").replace(/\r\n$/, "\r\n\r\n\r\n");
    assert.ok("signs" in verify(refolded));
  });

  it("is not sent without one, when the key cannot sign", async () => {
    const raw = Buffer.from(mail.raw, "latin1");
    await assert.rejects(
      signDkim(raw, { ...key, privateKey: "no key" }),
      /The DKIM key of shop\.example cannot sign/,
    );
  });
});
