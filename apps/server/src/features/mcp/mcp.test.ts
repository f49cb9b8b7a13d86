import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { McpError } from "@modelcontextprotocol/sdk/types.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { toast } from "../../../test/factories.ts";
import { testHouse } from "../../../test/harness.ts";
import { sendKeyOf } from "../../../test/keys.ts";
import { connect, type McpClient, post } from "../../../test/mcp.ts";
import { png } from "../../../test/samples.ts";
import { endpoints } from "../../features.ts";
import { readBuild } from "../../platform/build.ts";
import { snakeCase } from "../../platform/text/snake-case.ts";
import { readResource } from "./resources.ts";
import { MAX_CHARACTERS } from "./result.pure.ts";

const house = testHouse();
const limited = testHouse({ rateLimits: { campaigns: 2 } });

/** The tools as the contracts have them. */
const offers = endpoints.flatMap(({ spec }) => {
  const { tool, id, keys, method, isRead = method === "GET" } = spec;
  if (typeof tool !== "object") return [];
  return { name: tool.name ?? snakeCase(id), isDestructive: tool.isDestructive === true, isRead, keys };
});
const namesFor = (isOffered: (offer: (typeof offers)[number]) => boolean): string[] =>
  offers.flatMap((offer) => (isOffered(offer) ? offer.name : []));

const namesOf = async ({ client }: McpClient): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

const rpc = (id: string | number, name: string, args: object, meta?: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});

const draft = { name: "Hello", message: toast() };

describe("the list of tools", () => {
  it("is what the contracts say for the secret key, and tells what changes things and what overwrites them", async () => {
    const project = await house.project();
    const { client } = await connect(project, "/mcp", project.secretKey);
    assert.equal(client.getServerVersion()?.version, (await readBuild()).version);
    const { tools } = await client.listTools();
    const all = offers.filter(({ keys }) => keys.includes("secret"));
    assert.deepEqual(
      tools.map(({ name, annotations }) => ({ name, ...annotations })),
      all.map(({ name, isRead, isDestructive }) => ({
        name,
        readOnlyHint: isRead,
        destructiveHint: isDestructive,
        idempotentHint: isRead,
      })),
    );
    for (const { name, description } of tools) assert.ok((description ?? "").length > 10, name);
  });

  it("has schemas that stand alone, describe every argument, and are small together", async () => {
    const project = await house.project();
    const { client } = await connect(project, "/mcp", project.secretKey);
    const { tools } = await client.listTools();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name, inputSchema } of tools) {
      assert.doesNotThrow(() => ajv.compile(inputSchema), name);
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {}))
        assert.ok("description" in schema, `${name}.${argument}`);
    }
    const check = ajv.compile(tools.find(({ name }) => name === "check_audience")?.inputSchema ?? {});
    const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" };
    assert.ok(check({ expression: { version: 1, root } }));
    assert.ok(!check({ expression: { version: 1, root: { kind: "nothing" } } }));
    const { length } = JSON.stringify(tools);
    assert.ok(length < 60_000, `${length} characters`);
  });

  it("has only reads at /mcp/readonly, and for the agent key those that it may call", async () => {
    const project = await house.project();
    const secret = await connect(project, "/mcp/readonly", project.secretKey);
    assert.deepEqual(
      await namesOf(secret),
      namesFor(({ isRead, keys }) => isRead && keys.includes("secret")),
    );
    const agent = await connect(project, "/mcp/readonly", project.agentKey);
    assert.deepEqual(
      await namesOf(agent),
      namesFor(({ isRead, keys }) => isRead && keys.includes("agent")),
    );
    for (const { call } of [secret, agent])
      await assert.rejects(call("create_campaign", draft), /Unknown tool/);
    const { campaigns } = await project.api.listCampaigns();
    assert.equal(campaigns.length, 0);
  });
});

describe("who may ask", () => {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  it("is a program with the right key", async () => {
    const project = await house.project();
    const { secretKey, agentKey, publishableKey } = project;
    const sendKey = await sendKeyOf(house, project);
    for (const [path, key, status] of [
      ["/mcp", secretKey, 200],
      ["/mcp/readonly", secretKey, 200],
      ["/mcp/readonly", agentKey, 200],
      ["/mcp", agentKey, 403],
      ["/mcp", publishableKey, 403],
      ["/mcp/readonly", publishableKey, 403],
      ["/mcp", sendKey, 403],
      ["/mcp/readonly", sendKey, 403],
      ["/mcp", "", 401],
      ["/mcp/readonly", `${secretKey.slice(0, -1)}!`, 401],
    ] as const) {
      const answer = await post(project, path, key, list);
      assert.equal(answer.status, status, `${path} ${key}`);
      const body = (await answer.json()) as object;
      assert.ok(status === 200 ? "result" in body : "error" in body);
    }
  });

  it("is no page of another origin", async () => {
    const project = await house.project();
    for (const [origin, status] of [
      [project.url, 200],
      ["https://evil.example", 403],
      ["null", 403],
      [project.url.replace("127.0.0.1", "evil.example"), 403],
    ] as const) {
      const answer = await post(project, "/mcp", project.secretKey, list, { origin });
      assert.equal(answer.status, status, origin);
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
    }
  });

  it("has nothing but POST with one message", async () => {
    const project = await house.project();
    const { secretKey, url } = project;
    for (const path of ["/mcp", "/mcp/readonly"])
      for (const method of ["GET", "DELETE", "PUT", "OPTIONS"]) {
        const { status, headers } = await fetch(url + path, { method });
        assert.deepEqual([status, headers.get("allow")], [405, "POST"]);
      }
    for (const [body, says] of [
      [[list, list], /lists of messages/],
      ["{", /valid JSON/],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_user","arguments":{"id":"\\u0000"}}}',
        /NUL/,
      ],
      [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_user","arguments":{"id":"\\ud800"}}}',
        /surrogates/,
      ],
      ["", /JSON-RPC/],
      [{}, /JSON-RPC/],
    ] as const) {
      const answer = await post(project, "/mcp", secretKey, body);
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), says);
    }
    const large = rpc(1, "get_user", { id: "x".repeat(1_100_000) });
    assert.equal((await post(project, "/mcp/readonly", secretKey, large)).status, 413);
  });
});

describe("a tool", () => {
  it("runs its operation: path, query, body and file", async () => {
    const project = await house.project();
    const { call } = await connect(project, "/mcp", project.secretKey);
    await project.api.identifyBatch({
      body: {
        users: Array.from({ length: 25 }, (_, n) => ({ userId: `user/${n}`, traits: { plan: "pro" } })),
      },
    });
    const user = await call("get_user", { id: "user/7" });
    assert.deepEqual(user.json, await project.api.getUser({ path: { id: "user/7" } }));
    const all = await call("list_users", { traitKey: "plan", traitValue: "pro" });
    const { users, total } = all.json as { users: unknown[]; total: number };
    assert.deepEqual([users.length, total], [20, 25], "a small page by itself");
    const second = await call("list_users", { perPage: 20, page: 2 });
    assert.equal((second.json.users as unknown[]).length, 5);
    const { json } = await call("create_campaign", draft);
    const { campaign } = json as { campaign: { id: string; status: string } };
    assert.equal(campaign.status, "draft");
    const renamed = await call("update_campaign", { id: campaign.id, name: "Renamed" });
    assert.equal((renamed.json.campaign as { name: string }).name, "Renamed");
    assert.deepEqual((await call("get_campaign", { id: campaign.id })).json.campaign, renamed.json.campaign);
    const data = Buffer.from(await png.arrayBuffer()).toString("base64");
    const uploaded = await call("upload_campaign_media", { data, contentType: "image/png" });
    assert.deepEqual(uploaded.json, await project.api.uploadCampaignMedia({ file: png }));
  });

  it("takes what clients send that write objects as text, and null for what they leave out", async () => {
    const project = await house.project();
    const { call } = await connect(project, "/mcp", project.secretKey);
    const { json } = await call("create_campaign", {
      name: "Hello",
      channel: null,
      push: null,
      launch: null,
      audience: null,
      goalId: null,
      message: null,
      sourceChanges: null,
      variants: JSON.stringify([{ message: JSON.stringify(toast()), weight: "50" }]),
    });
    const { campaign } = json as { campaign: { id: string; variants: { weight: number }[] } };
    assert.deepEqual(
      campaign.variants.map(({ weight }) => weight),
      [50],
    );
    const root = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" };
    const checked = await call("check_audience", {
      expression: JSON.stringify({ version: 1, root }),
      segment: null,
      version: null,
      sampleLimit: null,
    });
    assert.deepEqual([checked.isError, checked.json.matchedCount], [false, 0], checked.texts[0]);
    const goal = await call("create_goal", { name: "G", approvalMode: null, guardrails: '{"maxWeekly":2}' });
    assert.deepEqual((goal.json.goal as { guardrails: unknown }).guardrails, { maxWeekly: 2 });
    const { json: page } = await call("list_campaigns", { perPage: null, page: "1", status: null });
    assert.equal(page.total, 1);
    const refused = await call("create_campaign", { name: "Hello", message: "Hello" });
    assert.deepEqual(
      [refused.isError, refused.json],
      [true, { status: 400, error: "message must be an object: the text that was sent is no JSON of one" }],
    );
  });

  it("says which number cannot be kept, as a result that the model reads", async () => {
    const project = await house.project();
    const ask = async (body: string) => {
      const answer = await post(project, "/mcp", project.secretKey, body);
      return { status: answer.status, text: await answer.text() };
    };
    const called = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_agent_run","arguments":${args}}}`;
    const lost = "input.order is a number that cannot be kept exactly: send it as a text";
    for (const input of ['{"order":1161888007138312192}', JSON.stringify('{"order":1161888007138312192}')]) {
      const { status, text } = await ask(called(`{"kind":"note","input":${input}}`));
      const { result } = JSON.parse(text) as { result: { isError: boolean; content: [{ text: string }] } };
      assert.deepEqual([status, result.isError], [200, true]);
      assert.deepEqual(JSON.parse(result.content[0].text), { status: 400, error: lost });
    }
    const { status, text } = await ask('{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}');
    assert.deepEqual([status, text.includes("id is a number that cannot be kept exactly")], [400, true]);
    assert.equal((await project.api.listAgentRuns()).total, 0);
  });

  it("takes an image of the size that the API takes", async () => {
    const project = await house.project();
    const { call } = await connect(project, "/mcp", project.secretKey);
    const ofSize = async (size: number) => {
      const bytes = Buffer.concat([Buffer.from(await png.arrayBuffer()), Buffer.alloc(size)]);
      return call("upload_campaign_media", { data: bytes.toString("base64"), contentType: "image/png" });
    };
    const fits = await ofSize(4 * 1_024 * 1_024 - png.size);
    assert.notEqual(fits.json.status, 413, fits.texts[0]);
    const tooLarge = await ofSize(4 * 1_024 * 1_024);
    assert.deepEqual([tooLarge.isError, tooLarge.json.status], [true, 413]);
  });

  it("answers a refusal as the API does, as a result that the model reads", async () => {
    const project = await house.project();
    const { call } = await connect(project, "/mcp", project.secretKey);
    const segment = { key: "k", name: "K", expression: { version: 1, root: { kind: "all", children: [] } } };
    for (const [name, args, status, says] of [
      ["get_campaign", { id: "cmp_019b0000-0000-7000-8000-000000000000" }, 404, /Campaign not found/],
      ["get_campaign", {}, 400, /id is required/],
      ["get_campaign", { id: ".." }, 400, /id must be an id/],
      ["list_campaign_deliveries", { id: "" }, 400, /id must be an id/],
      ["list_campaigns", { perpage: 3 }, 400, /did you mean perPage/],
      ["list_campaigns", { page: { is: 1 } }, 400, /page must be a text/],
      ["list_campaigns", { perPage: 1_000 }, 400, /perPage/],
      ["create_campaign", { ...draft, nam: "x" }, 400, /did you mean name/],
      ["create_campaign", {}, 400, /name/],
      ["create_segment", segment, 400, /./],
      ["upload_campaign_media", { data: "no base64!", contentType: "image/png" }, 400, /base64/],
      ["upload_campaign_media", { data: "AAAA", contentType: "a\r\nb" }, 400, /media type/],
      ["upload_campaign_media", { data: "AAAA", contentType: "image/png", name: "x" }, 400, /unknown field/],
      ["upload_campaign_media", { data: "AAAA", contentType: "image/png" }, 400, /file/],
    ] as const) {
      const { isError, json } = await call(name, args);
      assert.deepEqual([isError, json.status], [true, status], JSON.stringify(json));
      assert.match(String(json.error), says);
    }
    const { json } = await call("create_segment", segment);
    assert.ok(Array.isArray(json.diagnostics), "further fields of a refusal are there too");
    const { campaign } = (await call("create_campaign", draft)).json as { campaign: { id: string } };
    const ended = await call("set_campaign_status", { id: campaign.id, action: "pause" });
    assert.deepEqual([ended.isError, ended.json.status], [true, 409]);
    await assert.rejects(call("drop_database"), /Unknown tool/);
  });

  it("takes from the budget of its operation", async () => {
    const project = await limited.project();
    const { call, client } = await connect(project, "/mcp", project.secretKey);
    assert.equal((await call("list_campaigns")).isError, false);
    await project.api.listCampaigns();
    const { isError, json } = await call("list_campaigns");
    assert.deepEqual([isError, json.status, json.error], [true, 429, "Too many requests"]);
    assert.equal(json.retryAfterSeconds, 30);
    assert.equal((await call("list_goals")).isError, false, "other budgets are their own");
    await client.ping();
  });

  it("sees its own project alone", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { campaign } = await other.api.createCampaign({ body: draft });
    const { call } = await connect(mine, "/mcp", mine.secretKey);
    assert.equal((await call("get_campaign", { id: campaign.id })).json.status, 404);
  });
});

describe("a write that is sent again", () => {
  const count = async ({ api }: Awaited<ReturnType<typeof house.project>>) =>
    (await api.listCampaigns()).total;
  const session = (id: string) => ({ "mcp-session-id": id });

  it("is done once for a request of a session, also at the same time and on another process", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const send = (through: typeof project) =>
      post(through, "/mcp", project.secretKey, rpc(7, "create_campaign", draft), session("one"));
    const answers = await Promise.all([project, elsewhere, project, elsewhere, project].map(send));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const ids = new Set(texts.map((text) => /cmp_[0-9a-f-]+/.exec(text)?.[0]));
    assert.equal(ids.size, 1, texts.join("\n"));
    assert.equal(texts.filter((text) => text.includes("nothing was done a second time")).length, 4);
    assert.equal(await count(project), 1);
  });

  it("is done again where it is another request, another session, or other arguments", async () => {
    const project = await house.project();
    const send = async (id: number, args: object, headers: Record<string, string>) => {
      const answer = await post(
        project,
        "/mcp",
        project.secretKey,
        rpc(id, "create_campaign", args),
        headers,
      );
      assert.equal(answer.status, 200);
      await answer.body?.cancel();
    };
    await send(1, draft, session("one"));
    await send(2, draft, session("one"));
    await send(1, draft, session("two"));
    await send(1, { ...draft, name: "Other" }, session("one"));
    assert.equal(await count(project), 4);
    // Without a session, the number of a request says nothing.
    await send(1, draft, {});
    await send(1, draft, {});
    assert.equal(await count(project), 6);
  });

  it("is done twice by clients of the library that mean it", async () => {
    const project = await house.project();
    const clients = [
      await connect(project, "/mcp", project.secretKey),
      await connect(project, "/mcp", project.secretKey),
    ];
    for (const { call } of clients) {
      await call("create_campaign", draft);
      await call("create_campaign", draft);
    }
    assert.equal(await count(project), 4);
    const sessions = clients.map(({ client }) => client.transport?.sessionId);
    assert.equal(new Set(sessions).size, 2);
  });

  it("follows the key that the client chose", async () => {
    const project = await house.project();
    const { call } = await connect(project, "/mcp", project.secretKey);
    const meta = { "idempotency-key": "my-own" };
    const first = await call("create_campaign", draft, meta);
    const again = await call("create_campaign", draft, meta);
    assert.deepEqual(again.json, first.json);
    assert.match(again.texts.at(-1) ?? "", /nothing was done a second time/);
    const other = await call("create_campaign", { ...draft, name: "Other" }, meta);
    assert.deepEqual([other.isError, other.json.status], [true, 409]);
    for (const key of ["", "a\nb", 7, "x".repeat(129)]) {
      const bad = await call("create_campaign", draft, { "idempotency-key": key });
      assert.deepEqual([bad.isError, bad.json.status], [true, 400]);
    }
    assert.equal(await count(project), 1);
  });
});

it("many calls at once are answered each with its own result", async () => {
  const project = await house.project();
  const { call } = await connect(project, "/mcp", project.secretKey);
  const names = Array.from({ length: 30 }, (_, n) => `Goal ${n}`);
  const made = await Promise.all(names.map((name) => call("create_goal", { name })));
  assert.deepEqual(
    made.map(({ json }) => (json.goal as { name: string }).name),
    names,
  );
});

it("a long list is cut between its items, and says how to go on", async () => {
  const project = await house.project();
  const { call } = await connect(project, "/mcp", project.secretKey);
  const traits = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`trait${n}`, "t".repeat(250)]));
  await project.api.identifyBatch({
    body: { users: Array.from({ length: 20 }, (_, n) => ({ userId: `user-${n}`, traits })) },
  });
  const { json, texts } = await call("list_users");
  const { users, total } = json as { users: { externalUserId: string }[]; total: number };
  assert.equal(total, 20);
  assert.ok(users.length > 0 && users.length < 20, `${users.length}`);
  assert.ok((texts[0] ?? "").length <= MAX_CHARACTERS);
  assert.match(texts[1] ?? "", new RegExp(`Only the first ${users.length} of these 20 users are shown`));
  const seen = new Set<string>();
  for (let page = 1; page <= Math.ceil(20 / users.length); page++) {
    const next = await call("list_users", { perPage: users.length, page });
    for (const { externalUserId } of next.json.users as typeof users) seen.add(externalUserId);
  }
  assert.equal(seen.size, 20, "what it says how to get is all there is");
});

describe("resources", () => {
  it("are the page about audiences and the guardrails of each goal, with either key", async () => {
    const project = await house.project();
    const guardrails = { maxWeekly: 2 };
    const { goal } = await project.api.createGoal({
      body: { name: "Upgrades", guardrails, approvalMode: "require_human" },
    });
    const uri = `tidings://goals/${goal.id}/guardrails`;
    for (const [path, key] of [
      ["/mcp", project.secretKey],
      ["/mcp/readonly", project.agentKey],
    ] as const) {
      const { client } = await connect(project, path, key);
      const { resources } = await client.listResources();
      assert.deepEqual(
        resources.map((each) => each.uri),
        ["tidings://docs/audiences", uri],
      );
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(
        resourceTemplates.map(({ uriTemplate }) => uriTemplate),
        ["tidings://goals/{id}/guardrails"],
      );
      const read = async (address: string) => (await client.readResource({ uri: address })).contents[0];
      const page = await read("tidings://docs/audiences");
      assert.match(String(page && "text" in page && page.text), /^# .*\n[\s\S]*within_last/);
      const found = await read(uri);
      assert.deepEqual(JSON.parse(String(found && "text" in found && found.text)), {
        goalId: goal.id,
        name: "Upgrades",
        status: "active",
        approvalMode: "require_human",
        guardrails,
      });
      for (const unknown of [
        "tidings://goals/goal_019b0000-0000-7000-8000-000000000000/guardrails",
        "tidings://goals/../guardrails",
        "tidings://goals/%2e%2e/guardrails",
        "tidings://goals/%zz/guardrails",
        "file:///etc/passwd",
      ])
        await assert.rejects(read(unknown), (error: McpError) => error.code < -32_000, unknown);
    }
  });

  it("are read by the id of a goal alone: any other spelling asks no operation", async () => {
    const id = "goal_019b0000-0000-7000-8000-000000000000";
    const strange = [
      "..\\users",
      "..\\..\\users",
      "%2e%2e",
      "..%2fusers",
      "%2e%2e%5cusers",
      "..;",
      ".",
      "",
      "users",
      `${id}\0`,
      `${id}%00`,
      `${id}\n`,
      `${id}\\..`,
      `${id}/../x`,
      `${id}?a=b`,
      `${id}#`,
      ` ${id}`,
      `${id}%20`,
      id.toUpperCase(),
      id.replace("goal", "cmp"),
      id.slice(0, -1),
      `${id}0`,
      "ɡoal_".concat(id.slice(5)),
      encodeURIComponent(id).replace("_", "%5F"),
      "a".repeat(100_000),
      "goal_{id}",
    ];
    const calls: string[] = [];
    const call = (({ url }: { url: string }) => {
      calls.push(url);
      return Promise.resolve({ status: 200, headers: {}, body: '{"goal": {}}' });
    }) as Parameters<typeof readResource>[1];
    const read = (uri: string) => readResource(uri, call, () => Promise.resolve(""));
    const uris = strange.map((each) => `tidings://goals/${each}/guardrails`);
    for (const uri of [...uris, `tidings://goals/${id}/guardrails\n`, `TIDINGS://goals/${id}/guardrails`])
      await assert.rejects(read(uri), ({ code, message }: McpError) => {
        assert.equal(code, -32_002, uri);
        assert.match(message, /no such resource/);
        assert.ok(message.length < 300);
        return true;
      });
    assert.deepEqual(calls, []);
    await read(`tidings://goals/${id}/guardrails`);
    assert.deepEqual(calls, [`/api/v1/goals/${id}`]);

    const project = await house.project();
    const { client } = await connect(project, "/mcp", project.secretKey);
    for (const uri of uris)
      await assert.rejects(client.readResource({ uri }), /no such resource|must not contain NUL/);
  });
});
