import assert from "node:assert/strict";
import { it } from "node:test";
import { controlShare, guardrailsFault, readGuardrails } from "./guardrails.pure.ts";
import { isPhrase, phraseIn } from "./phrases.pure.ts";

const CASES: readonly (readonly [text: string, phrase: string, isFound: boolean])[] = [
  ["Get it FREE today", "free", true],
  ["fr\u200bee", "free", true],
  ["fr\u00adee", "free", true],
  ["f\u2060r\u{e0061}e\u200de", "free", true],
  ["ｆｒｅｅ", "free", true],
  ["𝐟𝐫𝐞𝐞", "free", true],
  ["freedom", "free", false],
  ["carefree", "free", false],
  ["carefree", "free*", false],
  ["freedom", "free*", true],
  ["free-range, risk-free", "free", true],
  ["sugar_free", "free", false],
  ["risk\u00a0\n free", "risk free", true],
  ["riskfree", "risk free", false],
  ["100% off", "100%", true],
  ["1100% off", "100%", false],
  ["STRASSE", "straße", true],
  ["ΟΔΟΣ", "οδος", true],
  ["οδοστρωμα", "οδος*", true],
  ["現在免費試用", "免費", true],
  ["caf\u0065\u0301", "café", true],
  ["café", "caf", false],
  ["a freedom that is free", "free", true],
  ["", "free", false],
];

it("phrases are found as they look, as whole words unless they end in an asterisk", () => {
  for (const [text, phrase, isFound] of CASES)
    assert.equal(phraseIn([text], [phrase]) !== null, isFound, `${text}: ${phrase}`);
  assert.equal(phraseIn(["one two"], ["three", "two", "one"]), "two");
});

it("what is not seen between the letters of a phrase never matters", () => {
  const unseen = ["\u200b", "\u200c", "\u00ad", "\ufeff", "\u2060", "\u180e", "\u{e0020}", "\u034f"];
  for (const phrase of ["guaranteed", "risk free", "Ünïcode"])
    for (const hidden of unseen)
      for (let at = 1; at < phrase.length; at++)
        assert.equal(phraseIn([`so ${phrase.slice(0, at)}${hidden}${phrase.slice(at)}!`], [phrase]), phrase);
});

it("phrases in letters from a to z are also found as they are drawn", () => {
  for (const text of [
    "gu\u0430ranteed",
    "ɢᴜᴀʀᴀɴᴛᴇᴇᴅ",
    "g̶u̶a̶r̶a̶n̶t̶e̶e̶d̶",
    "gúàrãntëêď",
    "ｇｕａｒａｎｔｅｅｄ",
    "𝓰𝓾𝓪𝓻𝓪𝓷𝓽𝓮𝓮𝓭",
    "ⓖⓤⓐⓡⓐⓝⓣⓔⓔⓓ",
    "guαrαnτεεd",
    "ԍuаrаntееd",
    "ɡuarantееđ",
    "ցuaraոteed",
    "🅶🆄🅰🆁🅰🅽🆃🅴🅴🅳",
    "🅖🅤🅐🅡🅐🅝🅣🅔🅔🅓",
    "🇬🇺🇦🇷🇦🇳🇹🇪🇪🇩",
    "GUAR\u0410NT\u0415\u0415D",
    "g\u200bu\u00ada\u2060r\u0430nteed",
    "gua\u0001ranteed",
    "gua\ufff9ranteed",
  ])
    assert.equal(phraseIn([`It is ${text}!`], ["guaranteed"]), "guaranteed", text);
  for (const [text, phrase] of [
    ["tr\u0456al", "trial"],
    ["triaI", "trial"],
    ["\u0430\u0441\u0435", "ace"],
    ["Get it \u0430\u0455 \u0430 \u0430\u0441\u0435", "ace"],
    ["r\u0456sk fr\u0435e", "risk free"],
    ["résumé", "resume"],
    ["gu\u0430rantees", "guarantee*"],
    ["100% fr\u0435e", "100% free"],
  ] as const)
    assert.equal(phraseIn([text], [phrase]), phrase, text);
});

it("what is written in another language is not taken for a phrase in letters from a to z", () => {
  const phrases = [
    "cop",
    "pak",
    "ace",
    "no",
    "pop",
    "hat",
    "top",
    "ok",
    "op",
    "man",
    "the",
    "free",
    "mop",
    "koT",
  ];
  for (const text of [
    ..."Сор из избы не выносят. Рак на горе свистнет, а кот уже тут: мор, тор, нос, рот и пот.|Новый тариф уже доступен".split(
      "|",
    ),
    ..."Оценка от нашей команды: все отчёты теперь быстрее. Ещё никто не ждал.|Ціна та сама, а нове меню вже тут".split(
      "|",
    ),
    ..."Το νέο πρόγραμμα είναι εδώ, και όλα τα τοπ άρθρα μένουν.|Η ομάδα μας σας ευχαριστεί για την εμπιστοσύνη".split(
      "|",
    ),
    ..."Նոր հաշվետվությունները պատրաստ են|Новият отчет е готов за вас|СМС и VPN для IT-отдела, 3D и Wi-Fi".split(
      "|",
    ),
  ])
    assert.equal(phraseIn([text], phrases), null, text);
  // A phrase of another language is looked for as it is written, with its accents.
  for (const [text, phrase, isFound] of [
    ["schon da", "schön", false],
    ["schön da", "schön", true],
    ["Без риска", "риска", true],
    ["без риcка", "риска", false],
    ["Δωρεάν δοκιμή", "δωρεάν", true],
  ] as const)
    assert.equal(phraseIn([text], [phrase]) !== null, isFound, text);
});

it("a phrase says something that can be seen", () => {
  for (const phrase of ["", " ", "*", " *", "\u200b", "\u00ad*"]) assert.equal(isPhrase(phrase), false);
  assert.equal(isPhrase("a"), true);
});

it("guardrails that mean something are read, others are free, and what cannot be read is named", () => {
  assert.deepEqual(readGuardrails(null), { limits: {} });
  assert.deepEqual(
    readGuardrails({ quietUntil: "2026-01-01T00:00Z", maxPerWeek: "two", maxComplaintRate: 0.5 }),
    {
      limits: { maxComplaintRate: 0.5, quietUntil: Date.UTC(2026, 0, 1) },
    },
  );
  assert.deepEqual(readGuardrails({ maxActiveCampaigns: 0.5 }), {
    fault: { guardrail: "maxActiveCampaigns", message: "must be a whole number from 0 to 1000" },
  });
  // Stored before it was checked, it is passed over.
  assert.deepEqual(readGuardrails({ minimumLift: "much" }), { limits: {} });
  assert.equal(guardrailsFault({ minimumLift: 1 })?.guardrail, "minimumLift");
  assert.equal(guardrailsFault({ minimumLift: 0.02 }), null);
  assert.equal(
    controlShare([
      { weight: 1, isControl: true },
      { weight: 3, isControl: false },
    ]),
    0.25,
  );
});
