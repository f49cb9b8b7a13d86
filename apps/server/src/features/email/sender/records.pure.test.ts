import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dkimRecord, judgeDkim, judgeSpf, spfRecord } from "./records.pure.ts";

const KEY = "MIIBIjANBgkq+/hkiG9w0BAQEFAAOCAQ8A==";

describe("judgeDkim", () => {
  const record = dkimRecord("acme.example", KEY);
  for (const [texts, problem] of [
    [[record.value], null],
    [[`p=${KEY}`], null],
    [[`v=DKIM1;p=${KEY};`], null],
    [[` v = DKIM1 ; k=rsa ; n=note=1 ; t=s ; p = ${KEY.slice(0, 9)} \t${KEY.slice(9)} `], null],
    [[], "is not there"],
    [[""], "is not a DKIM key"],
    [["hello"], "is not a DKIM key"],
    [["v=DKIM1; k=rsa"], "is not a DKIM key"],
    [[`p=${KEY}; p=${KEY}`], "is not a DKIM key"],
    [[`=x; p=${KEY}`], "is not a DKIM key"],
    [[`v=DKIM2; p=${KEY}`], "is not a DKIM1 key of kind rsa"],
    [[`v=DKIM1; k=ed25519; p=${KEY}`], "is not a DKIM1 key of kind rsa"],
    [["v=DKIM1; p="], "has no key: it was revoked"],
    [[`v=DKIM1; p=${KEY}A`], "has another key"],
    [[`v=DKIM1; p=${KEY.toLowerCase()}`], "has another key"],
    [[record.value, record.value], "has more than one text"],
  ] as const) {
    it(`${JSON.stringify(texts)}: ${problem ?? "is right"}`, () => {
      assert.deepEqual(judgeDkim(texts, KEY), { found: [...texts], problem });
    });
  }
});

describe("judgeSpf", () => {
  const missing = "does not have include:spf.provider.example";
  const noServer = "lets nobody send";
  for (const [texts, alone, included] of [
    [["v=spf1 mx ~all"], null, missing],
    [["v=spf1 include:spf.provider.example ~all"], null, null],
    [["V=SPF1  +INCLUDE:Spf.Provider.Example.  -ALL "], null, null],
    [
      [
        "v=spf1 a mx/24 ptr ip4:192.0.2.0/24 ip6:2001:db8::/32 exists:%{i}.x.example include:spf.provider.example ?all",
      ],
      null,
      null,
    ],
    [["v=spf1 a:mail.example/24//64 exp=why.example x-unknown=1 -all"], null, missing],
    [["v=spf1 redirect=_spf.example"], null, missing],
    [["v=spf1"], null, missing],
    [["v=spf1 +all"], null, missing],
    [["v=spf1 ?all"], null, missing],
    [["v=spf1 -all"], noServer, noServer],
    [["v=spf1 ~all"], noServer, noServer],
    [["v=spf1 -all include:spf.provider.example"], noServer, noServer],
    [["v=spf1 -include:spf.provider.example -all"], noServer, noServer],
    [["v=spf1 mx -all include:spf.provider.example"], null, missing],
    [["v=spf1 mx ?include:spf.provider.example -all"], null, missing],
    [["v=spf1 include:other.example ~all"], null, missing],
    [["v=spf1 include:xspf.provider.example ~all"], null, missing],
    [
      ["v=spf1 mx includ:spf.provider.example ~all"],
      "has a term that nobody knows: includ:spf.provider.example",
      "has a term that nobody knows: includ:spf.provider.example",
    ],
    [["v=spf1 mx, ~all"], "has a term that nobody knows: mx,", "has a term that nobody knows: mx,"],
    [[], "is not there", "is not there"],
    [["v=spf10 mx ~all", "spf2.0/pra mx", " v=spf1 mx", "other"], "is not there", "is not there"],
    [["other", "v=spf1 include:spf.provider.example"], null, null],
    [
      ["v=spf1 mx", "v=spf1 a"],
      "is there more than once: one SPF record is allowed",
      "is there more than once: one SPF record is allowed",
    ],
  ] as const) {
    it(`${JSON.stringify(texts)}: ${alone ?? "is right"}; with an include: ${included ?? "is right"}`, () => {
      assert.equal(judgeSpf(texts, null).problem, alone);
      assert.equal(judgeSpf(texts, "spf.provider.example").problem, included);
    });
  }

  it("finds nothing but SPF records", () => {
    assert.deepEqual(judgeSpf(["other", "v=spf1 mx", "v=spf1 a"], null).found, ["v=spf1 mx", "v=spf1 a"]);
  });

  it("takes the records that are asked for", () => {
    for (const include of [null, "spf.provider.example", "_spf.provider.example"]) {
      const { name, value } = spfRecord("acme.example", include);
      assert.deepEqual([name, judgeSpf([value], include).problem], ["acme.example", null]);
    }
  });
});
