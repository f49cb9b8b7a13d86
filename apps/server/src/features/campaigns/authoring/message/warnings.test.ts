import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { sendingProject } from "../../../../../test/email.ts";
import { toast } from "../../../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { startSmtp } from "../../../../../test/peers/smtp.ts";
import { MESSAGE, PUSH } from "../../../../../test/push.ts";
import { png } from "../../../../../test/samples.ts";

const house = testHouse();
const smtp = await startSmtp();
after(() => smtp.close());

/** A project that can send mail, with one user. */
async function knownProject(): Promise<TestProject> {
  const project = await sendingProject(house, smtp.port);
  const traits = { email: "ada@example.com", first_name: "Ada", "favourite colour": "red" };
  await project.sdk.identify({ body: { userId: "ada", traits } });
  return project;
}

const unseen = (path: string, name: string, suggestions?: readonly string[]) => ({
  severity: "warning",
  code: "unobserved_trait",
  path,
  message: `No trait "${name}" was seen so far.`,
  ...(suggestions === undefined ? {} : { suggestions }),
});

const SLIP = '{{ user.first_nam | default: "there" }}';
const GOOD = '{{ user.first_name | default: "there" }} {{ user.id }} {{ user["favourite colour"] }}';
const meant = (path: string) => unseen(path, "first_nam", ["first_name"]);

describe("a personal field that no user has", () => {
  it("is warned of where an email is made, changed, tested and launched", async () => {
    const { api } = await knownProject();
    const message = {
      subject: `Hello ${SLIP}`,
      previewText: SLIP,
      body: `Hi **${SLIP}** ${SLIP} ${GOOD} {{ user.qzx }}`,
      cta: { label: SLIP, url: "https://shop.example/{{ user.first_nam }}" },
    };
    const made = await api.createCampaign({ body: { name: "News", channel: "email", message } });
    const found = (at: string) => [
      meant(`${at}/subject`),
      meant(`${at}/previewText`),
      meant(`${at}/body`),
      unseen(`${at}/body`, "qzx"),
      meant(`${at}/cta/label`),
      meant(`${at}/cta/url`),
    ];
    assert.deepEqual(made.warnings, found("/message"));
    const path = { id: made.campaign.id };
    const tested = await api.sendTestEmail({ path, body: { address: "me@example.com" } });
    assert.deepEqual(tested.warnings, found(""));
    const launched = await api.setCampaignStatus({ path, body: { action: "launch" } });
    assert.deepEqual(launched.warnings?.[0], meant("/variants/0/content/subject"));
    assert.equal((await api.setCampaignStatus({ path, body: { action: "pause" } })).warnings, undefined);
    const [variant] = made.campaign.variants;
    assert.ok(variant);
    const variants = [{ id: variant.id, weight: 2 }, { message: { subject: GOOD, body: SLIP } }];
    const changed = await api.updateCampaign({ path, body: { variants } });
    assert.deepEqual(changed.warnings, [meant("/variants/1/message/body")]);
    const renamed = await api.updateCampaign({ path, body: { name: "Old news" } });
    assert.equal("warnings" in renamed, false, "a change that brings no message is not warned of one");
  });

  it("is warned of in each message that a journey brings, where it is made, changed and launched", async () => {
    const { api } = await knownProject();
    const mail = (id: string, subject: string) =>
      ({ id, kind: "send", channel: "email", message: { subject, body: "Hello." } }) as const;
    const news = {
      id: "news",
      kind: "send",
      channel: "web_inapp",
      variants: [GOOD, SLIP].map((title) => ({ message: toast(title) })),
    } as const;
    const pause = { id: "pause", kind: "wait", for: { amount: 1, unit: "days" } } as const;
    const made = await api.createJourney({
      body: { name: "Trial", entry: { on: "request" }, steps: [mail("welcome", SLIP), pause, news] },
    });
    assert.deepEqual(made.warnings, [
      meant("/steps/0/message/subject"),
      meant("/steps/2/variants/1/message/title"),
    ]);
    const path = { id: made.journey.id };
    const kept = (id: string, channel: "email" | "web_inapp") => ({ id, kind: "send", channel }) as const;
    const steps = [kept("news", "web_inapp"), mail("offer", SLIP), kept("welcome", "email")];
    const changed = await api.updateJourney({ path, body: { steps } });
    assert.deepEqual(changed.warnings, [meant("/steps/1/message/subject")]);
    const renamed = await api.updateJourney({ path, body: { name: "Trial of two weeks" } });
    assert.equal("warnings" in renamed, false, "a change that brings no message is not warned of one");
    const launched = await api.setJourneyStatus({ path, body: { action: "launch" } });
    assert.deepEqual(launched.warnings, [
      meant("/steps/0/variants/1/content/title"),
      meant("/steps/1/variants/0/content/subject"),
      meant("/steps/2/variants/0/content/subject"),
    ]);
    assert.equal((await api.setJourneyStatus({ path, body: { action: "pause" } })).warnings, undefined);
  });

  it("is warned of where a push is made, in each text that may have fields", async () => {
    const { api } = await knownProject();
    const message = {
      ...MESSAGE,
      title: SLIP,
      data: { raw: SLIP },
      ios: { subtitle: SLIP },
      actions: [
        { id: "a", title: GOOD.slice(0, 40) },
        { id: "b", title: SLIP },
      ],
    };
    const { warnings } = await api.createCampaign({
      body: { name: "Push", channel: "push", push: PUSH, message },
    });
    assert.deepEqual(warnings, [
      meant("/message/title"),
      meant("/message/ios/subtitle"),
      meant("/message/actions/1/title"),
    ]);
  });

  it("is not warned of where users have it, the latest included, or the text has no fields", async () => {
    const project = await knownProject();
    const { api, sdk } = project;
    const create = (subject: string) =>
      api.createCampaign({ body: { name: "News", channel: "email", message: { subject, body: "Hi" } } });
    assert.equal("warnings" in (await create(GOOD)), false);
    assert.equal("warnings" in (await create("Hello")), false);
    assert.deepEqual((await create("{{ user.brand_new }}")).warnings, [
      unseen("/message/subject", "brand_new"),
    ]);
    await sdk.identify({ body: { userId: "bob", traits: { brand_new: true } } });
    assert.equal("warnings" in (await create("{{ user.brand_new }}")), false, "before it was added up");
    await api.getAudienceCapabilities();
    assert.equal("warnings" in (await create("{{ user.brand_new }}")), false, "and after");
    const other = await knownProject();
    const { warnings } = await other.api.createCampaign({
      body: { name: "News", channel: "email", message: { subject: "{{ user.brand_new }}", body: "Hi" } },
    });
    assert.equal(warnings?.length, 1, "another project's users do not count");
    const web = await api.createCampaign({
      body: { name: "Web", message: toast("{{ user.x }}") },
    });
    assert.deepEqual(
      web.warnings?.map(({ path }) => path),
      ["/message/title"],
    );
  });

  it("fails nothing where the names cannot be read", async () => {
    const { api } = await knownProject();
    await house.database.pool.query("alter table trait_keys rename to trait_keys_away");
    try {
      const made = await api.createCampaign({
        body: { name: "News", channel: "email", message: { subject: SLIP, body: "Hi" } },
      });
      assert.equal("warnings" in made, false);
      const path = { id: made.campaign.id };
      const tested = await api.sendTestEmail({ path, body: { address: "me@example.com" } });
      assert.equal("warnings" in tested, false);
      assert.equal((await api.getCampaign({ path })).campaign.name, "News");
    } finally {
      await house.database.pool.query("alter table trait_keys_away rename to trait_keys");
    }
  });

  it("is warned of 20 times at most", async () => {
    const { api } = await knownProject();
    const body = Array.from({ length: 50 }, (_, index) => `{{ user.nobody_${index} }}`).join(" ");
    const { warnings } = await api.createCampaign({
      body: { name: "News", channel: "email", message: { subject: "Hello", body } },
    });
    assert.equal(warnings?.length, 20);
  });
});

type Warned = { warnings?: { code: string; path: string; message: string }[] };

const briefly = ({ warnings = [] }: Warned) => warnings.map(({ code, path }) => [code, path]);

describe("HTML in a text that is shown as it is written", () => {
  it("is warned of on every channel, in each text that readers see", async () => {
    const { api } = await knownProject();
    const b = "<b>now</b>";
    const cta = { label: b, destination: { kind: "website", url: "https://shop.example/" } } as const;
    const media = { url: (await api.uploadCampaignMedia({ file: png })).media.url, alt: b };
    const web = { presentation: "toast", title: b, body: b, cta, media } as const;
    const made = async (body: object) =>
      api.createCampaign({
        body: { name: "Plain", ...body } as Parameters<typeof api.createCampaign>[0]["body"],
      });
    const html = (...places: string[]) => places.map((place) => ["html_as_text", `/message/${place}`]);
    const warned = await made({ message: web });
    assert.deepEqual(briefly(warned), html("title", "body", "cta/label", "media/alt"));
    assert.equal(warned.warnings?.[0]?.message, "HTML is shown as text, as in <b>: this text is plain.");
    const push = { ...MESSAGE, title: b, body: b, ios: { subtitle: b }, actions: [{ id: "a", title: b }] };
    assert.deepEqual(
      briefly(await made({ channel: "push", push: PUSH, message: push })),
      html("title", "body", "ios/subtitle", "actions/0/title"),
    );
    const mail = { subject: b, previewText: b, body: b, cta: { label: b, url: "https://shop.example/" } };
    assert.deepEqual(
      briefly(await made({ channel: "email", message: mail })),
      html("body", "subject", "previewText", "cta/label"),
    );
  });

  for (const [text, found] of [
    [
      'Hi <a href="https://x.example/{{ user.id }}">{{ user.id }}</a>',
      '<a href="https://x.example/{{ user.id }}">',
    ],
    ["a <br/> b", "<br/>"],
    ["</td>", "</td>"],
    ["20&nbsp;% off", "&nbsp;"],
    ["&#8364; 5", "&#8364;"],
    ["<!-- note --> Hi", "<!-- note --> Hi"],
    ["1 < 2 > 1, I <3 you, a<b, AT&T, R&D; Q&A;", null],
    ["From <{{ user.id }}> <ada@example.com> <https://shop.example>", null],
    ["<first_name> {{ user.id }}", null],
  ] as const)
    it(`finds ${found ?? "none"} in ${text}`, async () => {
      const { api } = await knownProject();
      const { warnings = [] } = await api.createCampaign({ body: { name: "Web", message: toast(text) } });
      assert.deepEqual(
        warnings.map(({ message }) => message),
        found === null ? [] : [`HTML is shown as text, as in ${found}: this text is plain.`],
      );
    });
});

describe("a link or a picture that readers cannot reach", () => {
  it("is warned of as far as the message shows it, once for each field and fault", async () => {
    const { api } = await knownProject();
    const warned = async (body: string) => {
      const message = { subject: "News", body, cta: { label: "Go", url: "https://shop.example/" } };
      const { warnings = [] } = await api.createCampaign({
        body: { name: "News", channel: "email", message },
      });
      return warnings.map(({ code, path, message: text }) => [code, path, text]);
    };
    const local = (host: string) => [
      [
        "local_link",
        "/message/body",
        `A link leads to ${host}, which only your own computer or network can reach.`,
      ],
    ];
    for (const [body, host] of [
      ["[Read](http://localhost:3000/x)", "localhost"],
      ["http://localhost:3000/x", "localhost"],
      ["[Read][1]\n\n[1]: http://LOCALHOST./{{ user.id }}", "localhost"],
      ["<http://127.1/>", "127.0.0.1"],
      ["[Read](https://2130706433/)", "127.0.0.1"],
      ["[Read](https://[::1]/)", "[::1]"],
      ["> - [Read](https://192.168.1.5)", "192.168.1.5"],
      ["[Read](https://intranet/news)", "intranet"],
      ["[Read](https://printer.local/)", "printer.local"],
    ] as const)
      assert.deepEqual(await warned(body), local(host), body);
    assert.deepEqual(await warned("![A shop](http://shop.example/a.png)"), [
      [
        "http_picture",
        "/message/body",
        "The picture http://shop.example/a.png comes by http, so that many readers do not see it: use https.",
      ],
    ]);
    assert.deepEqual(
      await warned(
        "![A](https://10.0.0.1/a.png) [](https://shop.example/{{ user.id }}) [ ](https://a.example)",
      ),
      [
        [
          "local_link",
          "/message/body",
          "A picture comes from 10.0.0.1, which only your own computer or network can reach.",
        ],
        [
          "empty_link",
          "/message/body",
          "The link to https://shop.example/{{ … }} has no text, so that readers do not see it. So it is with 1 more.",
        ],
      ],
    );
    for (const fine of [
      "[Read](http://shop.example/) https://shop.example mailto:a@shop.example `http://localhost/` localhost",
      "[![A shop](https://shop.example/a.png)](https://shop.example/)",
      `[Read](${house.url}/demo) ![Ours](${house.url}/media/a.png)`,
    ])
      assert.deepEqual(await warned(fine), [], fine);
  });

  it("is warned of on pages and in pushes too", async () => {
    const { api } = await knownProject();
    const web = { ...toast("Hi"), cta: { label: "Go", url: "http://localhost:3000/" } };
    assert.deepEqual(briefly(await api.createCampaign({ body: { name: "Web", message: web } })), [
      ["local_link", "/message/cta/url"],
    ]);
    const path = { ...toast("Hi"), cta: { label: "Go", url: "/pricing" } };
    assert.deepEqual(briefly(await api.createCampaign({ body: { name: "Web", message: path } })), []);
    const push = {
      ...MESSAGE,
      title: "Hello",
      destination: { kind: "website" as const, url: "https://192.168.0.9/" },
      image: "https://box.internal/a.png",
    };
    const body = { name: "Push", channel: "push" as const, push: PUSH, message: push };
    assert.deepEqual(briefly(await api.createCampaign({ body })), [
      ["local_link", "/message/destination/url"],
      ["local_link", "/message/image"],
    ]);
  });
});

describe("a census", () => {
  it("has the warnings of the messages that it is about", async () => {
    const { api } = await knownProject();
    const variants = [
      { message: { subject: "News", body: "Hi" } },
      { message: { subject: SLIP, body: "<b>Hi</b> [Read](http://localhost/)" } },
    ];
    const { campaign } = await api.createCampaign({ body: { name: "News", channel: "email", variants } });
    const path = { id: campaign.id };
    assert.deepEqual(briefly(await api.takeCampaignCensus({ path })), [
      ["html_as_text", "/variants/1/content/body"],
      ["local_link", "/variants/1/content/body"],
      ["unobserved_trait", "/variants/1/content/subject"],
    ]);
    const [, second] = campaign.variants;
    const fixed = [{ id: second?.id ?? "", message: { subject: "Hi", body: "Hi" } }];
    await api.updateCampaign({ path, body: { variants: fixed } });
    assert.deepEqual(briefly(await api.takeCampaignCensus({ path })), []);
  });
});
