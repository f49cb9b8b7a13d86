import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints, outgoing, peopleEndpoints, tags } from "../../src/features.ts";
import { isManagementWrite, successStatus } from "../../src/platform/http/contract/endpoint.ts";
import { openApiDocument } from "../../src/platform/http/openapi/document.ts";
import { errorShape } from "../../src/platform/http/openapi/refusals.ts";
import { readDocument } from "../fuzz/document.ts";
import { withResponsesInPlace } from "../responses-in-place.ts";
import { assertNone } from "./complaints.ts";

type Json = Readonly<Record<string, unknown>>;

/** Objects whose keys are the customer's own. Everything else names its properties. */
const OPEN_ON_PURPOSE = new Set([
  "ProposalReview.changes[].before",
  "ProposalReview.changes[].after",
  "ProposalReview.evidence.output",
  "identify body.traits",
  "identifyBatch body.users[].traits",
  "track body.props",
  "trackBatch body.events[].props",
  ...["sendCalls body", "sendCalls body.batch[]"].flatMap((call) =>
    ["properties", "traits", "context", "integrations"].map((name) => `${call}.${name}`),
  ),
  "EndUser.traits",
  "sendMail body.data",
  "sendTestEmail body.data",
  "TransactionalMail.tags",
  "TransactionalMailDetail.tags",
  "TransactionalMailDetail.data",
  "UserNews.user.traits",
  // The change of a campaign that an agent proposes, which is one of several shapes.
  "ProposalNews.mutation",
  "Event.props",
  "createGoal body.guardrails",
  "updateGoal body.guardrails",
  "createAgentRun body.input",
  "createAgentRun body.output",
  "TranscriptEntry.request",
  "TranscriptEntry.response",
  "AgentRun.input",
  "AgentRun.output",
  "AudienceSample.traits",
  // Names to numbers, or to names.
  "AudienceSample.events",
  "AudienceCapabilities.expression.operators",
  "AudienceCapabilities.expression.limits",
  "AudienceCapabilities.traits[].types",
  "AudienceCapabilities.events[].properties[].types",
  // Step to step.
  "updateJourney body.moves",
  "HostedMutation.moves",
  // Id to name.
  "RunReferences.goals",
  "RunReferences.variants",
  "RunReferences.campaigns",
  "createCampaign body.targeting.traits",
  "updateCampaign body.targeting.traits",
  "Campaign.targeting.traits",
  "CampaignDetail.targeting.traits",
  "Goal.guardrails",
  "PushCommand.props",
  "PushCommandInput.props",
  "PushContent.data",
]);

/** A message names the fields that were sent, some of which are the customer's own. */
const UNBOUNDED_ON_PURPOSE = ["Error.error"];

/** Ends a failure about words: where they go. */
const SAY_IT = "describe it at its schema, with .describe(…)";

/** What takes any JSON, and is kept only where it is a string. */
const ANY_JSON = ["recordAgentUsage body.model", "recordAgentUsage body.sessionId"];

/** Read with the document's own types, so that a rule about a missing part is a failed test and not a crash. */
const asObject = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const written = JSON.parse(JSON.stringify(openApiDocument({ endpoints, tags, outgoing }))) as Json;
const document = withResponsesInPlace(written);
const components = asObject(asObject(document.components).schemas);

type Operation = { path: string; method: string; operation: Json };
const operations: Operation[] = Object.entries(asObject(document.paths)).flatMap(([path, methods]) =>
  Object.entries(asObject(methods)).map(([method, operation]) => ({
    path,
    method,
    operation: asObject(operation),
  })),
);

const contentSchema = (part: unknown): Json | null => {
  const [content] = Object.values(asObject(asObject(part).content));
  return content === undefined ? null : asObject(asObject(content).schema);
};

/** The component of an operation's own body or answer, by its place; any other by its name. */
function placeOf(component: string): string {
  const [, start = "", rest = "", part] = /^(.)(.*)(Body|Answer)$/.exec(component) ?? [];
  const id = start.toLowerCase() + rest;
  const { spec } = endpoints.find((each) => each.spec.id === id) ?? {};
  if (spec === undefined) return component;
  return part === "Body" ? `${id} body` : `${id} ${spec.status ?? 200}`;
}

/** Every schema that stands for itself, by a name that a person finds again. */
function roots(): [string, Json][] {
  const found: [string, Json][] = Object.entries(components).map(([name, schema]) => [
    placeOf(name),
    asObject(schema),
  ]);
  for (const { operation } of operations) {
    const id = String(operation.operationId);
    const body = contentSchema(operation.requestBody);
    if (body !== null) found.push([`${id} body`, body]);
    for (const [status, response] of Object.entries(asObject(operation.responses))) {
      const schema = contentSchema(response);
      if (schema !== null) found.push([`${id} ${status}`, schema]);
    }
    for (const parameter of asList(operation.parameters)) {
      const { name, schema } = asObject(parameter);
      found.push([`${id} ?${String(name)}`, asObject(schema)]);
    }
  }
  for (const [type, { post }] of Object.entries(asObject(document.webhooks) as Record<string, Json>)) {
    const body = contentSchema(asObject(post).requestBody);
    if (body !== null) found.push([`message ${type}`, body]);
  }
  return found;
}

type Visit = (where: string, schema: Json) => void;

function walk(where: string, schema: Json, visit: Visit): void {
  visit(where, schema);
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    for (const branch of asList(schema[key])) walk(where, asObject(branch), visit);
  }
  for (const [name, child] of Object.entries(asObject(schema.properties))) {
    walk(`${where}.${name}`, asObject(child), visit);
  }
  if (schema.items !== undefined) walk(`${where}[]`, asObject(schema.items), visit);
  if (schema.propertyNames !== undefined) walk(`${where}{key}`, asObject(schema.propertyNames), visit);
  if (typeof schema.additionalProperties === "object") {
    walk(`${where}{value}`, asObject(schema.additionalProperties), visit);
  }
}

/** Where a rule is broken, in the whole document. */
function faults(isFault: (schema: Json, where: string) => boolean): string[] {
  const found: string[] = [];
  for (const [name, schema] of roots()) {
    walk(name, schema, (where, each) => {
      if (isFault(each, where)) found.push(where);
    });
  }
  return found;
}

/** What is broken anywhere in the document, each place with what to write there. */
const complain = (places: readonly string[], advice: string): void =>
  assertNone(places.map((place) => `${place}: ${advice}`));

const hasType = (schema: Json, type: string): boolean =>
  schema.type === type || asList(schema.type).includes(type);

describe("every schema of the API", () => {
  it("bounds its strings", () => {
    const bounds = ["maxLength", "enum", "const", "format"];
    const unbounded = faults(
      (schema, where) =>
        hasType(schema, "string") &&
        !bounds.some((bound) => bound in schema) &&
        // The keys of an open object are bounded by the object's own size.
        !where.endsWith("{key}"),
    );
    complain(
      unbounded.filter((place) => !UNBOUNDED_ON_PURPOSE.includes(place)),
      "say how long the text may be: text(80) of platform/http/contract/fields.ts where it comes in, z.string().max(80) where it goes out",
    );
  });
  it("bounds its lists", () => {
    complain(
      faults((schema) => hasType(schema, "array") && !("maxItems" in schema)),
      "say how many items the list has at most: .max(100)",
    );
  });
  it("bounds its whole numbers", () => {
    complain(
      faults((schema) => hasType(schema, "integer") && !("minimum" in schema && "maximum" in schema)),
      "say between which numbers it lies: .min(0).max(100), or count and epochMs of platform/http/contract/fields.ts",
    );
  });
  it("names the properties of its objects, or is open on purpose", () => {
    const open = faults((schema) => hasType(schema, "object") && !("properties" in schema));
    complain(
      open.filter((place) => !OPEN_ON_PURPOSE.has(place)),
      "name its properties; where its keys are the customer's own, add it to OPEN_ON_PURPOSE in test/contracts/schema-rules.test.ts",
    );
    complain(
      [...OPEN_ON_PURPOSE].filter((place) => !open.includes(place)),
      "there is no such open object: take it out of OPEN_ON_PURPOSE in test/contracts/schema-rules.test.ts",
    );
    assert.deepEqual(
      faults((schema, where) => {
        const names = Object.keys(asObject(schema.properties));
        // What a refusal says beside its error may be missing.
        const isAnswer = / 2\d\d\b/.test(where) || /^[A-Z]/.test(where);
        return names.length > 0 && isAnswer && schema.required === undefined;
      }),
      [
        "Campaign.targeting",
        "Campaign.targeting.events",
        "CampaignDetail.targeting",
        "CampaignDetail.targeting.events",
        // What each means depends on the kind of the file.
        "ImportMapping",
        "ImportOptions",
        "MailRecipient",
        // What is said for one platform: all of it may be left out.
        "PushContent.ios",
        // A patch of texts may be of the name alone, of variants alone, or of nothing.
        "SourcePatch",
      ],
    );
  });
  it("says of every property what it means", () => {
    const undescribed: string[] = [];
    faults((schema, where) => {
      for (const [name, child] of Object.entries(asObject(schema.properties)))
        if (!asObject(child).description) undescribed.push(`${where}.${name}`);
      return false;
    });
    assert.deepEqual(undescribed, [], SAY_IT);
  });
  it("tells generators of numbers that need 64 bits", () => {
    const isWide = ({ type, maximum, format }: Json): boolean =>
      type === "integer" && Number(maximum) > 2 ** 31 - 1 && format !== "int64";
    assert.deepEqual(faults(isWide), []);
  });
  it("takes nothing in a management body that it does not name", () => {
    const bodies = endpoints
      .filter(({ spec }) => !spec.keys.includes("publishable") && spec.body !== undefined)
      .map(({ spec }) => `${spec.id} body`);
    const isOpen = (schema: Json, where: string): boolean =>
      bodies.some((body) => where.startsWith(body)) &&
      schema.properties !== undefined &&
      schema.additionalProperties !== false;
    assert.deepEqual(faults(isOpen), [], "platform/http/contract/closed.ts closes what endpoint() is given");
  });
  it("requires only what it names", () => {
    assert.deepEqual(
      faults((schema) =>
        asList(schema.required).some((name) => !(String(name) in asObject(schema.properties))),
      ),
      [],
    );
  });
  it("says what it holds: no schema is empty", () => {
    assert.deepEqual(
      faults((schema, where) => {
        const { description: _, ...rest } = schema;
        return Object.keys(rest).length === 0 && !where.endsWith("{value}");
      }).sort(),
      [...ANY_JSON].sort(),
    );
  });
  it("refers to components that exist, and has none that nothing refers to", () => {
    const used = new Set<string>();
    faults((schema) => {
      if (typeof schema.$ref === "string") used.add(schema.$ref);
      return false;
    });
    const names = Object.keys(components).map((name) => `#/components/schemas/${name}`);
    assert.deepEqual([...used].sort(), names.sort());
    const unnamed = Object.keys(components).filter((name) => !/^[A-Z]/.test(name));
    assert.deepEqual(unnamed, [], "say what a schema that contains itself is with mention()");
  });
  it("writes out each refusal once, and no response that nothing refers to", () => {
    const responses = Object.values(asObject(written.paths))
      .flatMap((methods) => Object.values(asObject(methods)))
      .flatMap((operation) => Object.entries(asObject(asObject(operation).responses)));
    const references = responses.flatMap(([, response]) => asObject(response).$ref ?? []);
    const shared = asObject(asObject(written.components).responses);
    const names = Object.keys(shared).map((name) => `#/components/responses/${name}`);
    assert.deepEqual([...new Set(references)].sort(), names.sort());
    assert.equal(new Set(Object.values(shared).map((each) => JSON.stringify(each))).size, names.length);
    // What is written out at an operation has reasons of its own: it names a schema beside the shared one.
    const own = responses.filter(
      ([status, response]) => Number(status) >= 400 && asObject(response).$ref === undefined,
    );
    assert.ok(own.length > 0);
    for (const [status, response] of own)
      assert.equal(asList(contentSchema(response)?.allOf).length, 2, `${status}: refer to a component`);
  });
});

describe("every operation of the API", () => {
  it("has an id of its own, and is in the document once", () => {
    const ids = endpoints.map(({ spec }) => spec.id);
    assert.deepEqual(new Set(ids).size, ids.length);
    assert.deepEqual(operations.map(({ operation }) => operation.operationId).sort(), ids.sort());
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
  });
  for (const { path, method, operation } of operations) {
    it(`${String(operation.operationId)} says what it is, what it takes and what it answers`, () => {
      // Libraries of other services have their paths built in.
      const isForeign = path === "/v1/{call}";
      assert.match(path, isForeign ? /^\/v1\// : /^\/api\/v1\//);
      assert.match(String(operation.summary), /^[A-Z].{5,80}[^.]$/);
      assert.equal(asList(operation.tags).length, 1);
      assert.ok(asList(operation.security).length > 0);

      const responses = asObject(operation.responses);
      const successes = Object.keys(responses).filter((status) => status.startsWith("2"));
      const endpoint = endpoints.find((each) => each.spec.id === operation.operationId);
      assert.ok(endpoint);
      const own = String(successStatus(endpoint.spec));
      assert.deepEqual(successes, endpoint.spec.replays ? ["200", "201"] : [own]);
      for (const status of ["401", "403", "429", "500", "503"]) assert.ok(responses[status], status);
      for (const [status, response] of Object.entries(responses)) {
        assert.ok(asObject(response).description, status);
        const schema = contentSchema(response);
        if (status === "204") assert.equal(schema, null);
        else assert.ok(schema && Object.keys(schema).length > 0, status);
        const shape: string = errorShape(endpoint.spec.refusals, Number(status));
        const refusal = { $ref: `#/components/schemas/${shape}` };
        const { reasons, errors = [] } = endpoint.spec;
        const withReasons =
          reasons !== undefined && (status === "409" || (status === "403" && errors.includes("forbidden")));
        if (withReasons) assert.deepEqual(asList(schema?.allOf)[0], refusal);
        else if (Number(status) >= 400) assert.deepEqual(schema, refusal);
        const headers = Object.keys(asObject(asObject(response).headers));
        const expected = ["X-Request-Id", "X-API-Version"];
        if (status === "429" || status === "503") expected.push("Retry-After");
        if (status < "300" && isManagementWrite(endpoint)) expected.push("Idempotent-Replayed");
        assert.deepEqual(headers, expected, status);
      }
      const parameters = asList(operation.parameters).map(asObject);
      const inPath = parameters.filter((each) => each.in === "path").map((each) => `{${String(each.name)}}`);
      assert.deepEqual(path.match(/\{\w+\}/g) ?? [], inPath);
      for (const each of parameters) {
        assert.ok(each.name && each.schema, JSON.stringify(each));
        assert.ok(each.description, `?${String(each.name)}: ${SAY_IT}`);
        assert.equal(typeof each.required, "boolean");
      }
      // What manages a project refuses what it does not know, be it that it takes nothing at all.
      const manages = !endpoint.spec.keys.includes("publishable");
      const takesSomething = manages || parameters.length > 0 || operation.requestBody !== undefined;
      assert.equal(takesSomething, responses["400"] !== undefined);
      assert.equal(operation.requestBody !== undefined, responses["413"] !== undefined);
      const namesSomething = parameters.some(
        (each) => each.in === "path" && !("enum" in asObject(each.schema)),
      );
      if (namesSomething) assert.ok(responses["404"], "an id may be unknown");
      if (method === "get") assert.equal(operation.requestBody, undefined);
    });
  }
  it("belongs to a group that is described", () => {
    const groups = asList(document.tags).map(asObject);
    const undescribed = groups.filter(({ description }) => !description).map(({ name }) => name);
    assert.deepEqual(undescribed, [], "describe it in the `tags` of its room");
    assert.deepEqual(new Set(tags.map(({ name }) => name)).size, tags.length, "one room describes a group");
    const used = new Set([...endpoints, ...peopleEndpoints].map(({ spec }) => spec.tag));
    assert.deepEqual(tags.map(({ name }) => name).sort(), [...used].sort(), "one description for each group");
  });
  it("says what stands in where a parameter is left out", () => {
    const defaults = operations.flatMap(({ operation }) =>
      asList(operation.parameters)
        .map(asObject)
        .filter(({ name }) => ["page", "perPage", "limit"].includes(String(name)))
        .map(
          ({ name, schema }) =>
            `${String(operation.operationId)} ${String(name)} ${String(asObject(schema).default)}`,
        ),
    );
    const pages = defaults.filter((each) => each.includes(" page "));
    assert.deepEqual(
      pages.filter((each) => !each.endsWith(" page 1")),
      [],
    );
    for (const each of [
      "listUsers perPage 50",
      "listCampaigns perPage 100",
      "listUserDeliveries perPage 20",
      "listInstallations perPage 25",
      "listActivity limit 10",
    ])
      assert.ok(defaults.includes(each), each);
    assert.ok(!defaults.some((each) => each.endsWith("undefined")));
  });

  const described = readDocument(document);
  for (const { spec } of endpoints) {
    it(`${spec.id} has examples that its schemas allow`, () => {
      const operation = operations.find(({ operation: each }) => each.operationId === spec.id)?.operation;
      const json = (part: unknown): Json => asObject(asObject(asObject(part).content)["application/json"]);
      const judge = described.operations.get(spec.id);
      assert.ok(judge);
      if (spec.body !== undefined) {
        assert.ok(spec.example !== undefined, "give the operation an example of its body");
        assert.ok(judge.allows(spec.example), "its body does not allow its example");
        assert.deepEqual(json(operation?.requestBody).example, spec.example);
      }
      if (spec.result === undefined) return;
      const { example } = json(asObject(operation?.responses)[String(successStatus(spec))]);
      const wrong = judge.wrongAnswer(successStatus(spec), JSON.stringify(example));
      const advice = "give its fields examples at their schemas, with .meta({ description, example })";
      assert.equal(wrong, null, `${String(wrong)}: ${advice}: ${JSON.stringify(example)}`);
    });
  }
  it("asks for the capability of an installation exactly where it needs one", () => {
    for (const { operation } of operations) {
      const endpoint = endpoints.find(({ spec }) => spec.id === operation.operationId);
      const header = asList(operation.parameters)
        .map(asObject)
        .find(({ name }) => name === "X-Service-Installation-Capability");
      assert.equal(
        header !== undefined,
        endpoint?.spec.needsCapability === true,
        String(operation.operationId),
      );
      if (header !== undefined) assert.deepEqual([header.in, header.required], ["header", true]);
    }
  });
  it("takes an Idempotency-Key exactly where it manages something", () => {
    for (const endpoint of endpoints) {
      const { operation } =
        operations.find(({ operation: each }) => each.operationId === endpoint.spec.id) ?? {};
      const names = asList(operation?.parameters).map((each) => asObject(each).name);
      assert.equal(names.includes("Idempotency-Key"), isManagementWrite(endpoint), endpoint.spec.id);
    }
  });
});

it("calls one thing by one name in the documents of programs and of people", () => {
  // The client has one file of types for both, in which the later of two schemas would stand for the earlier one, too.
  const schemasOf = (described: typeof endpoints): Json =>
    asObject(
      asObject(
        asObject(JSON.parse(JSON.stringify(openApiDocument({ endpoints: described, tags })))).components,
      ).schemas,
    );
  const all = schemasOf([...endpoints, ...peopleEndpoints]);
  for (const schemas of [schemasOf(endpoints), schemasOf(peopleEndpoints)])
    for (const [name, schema] of Object.entries(schemas)) assert.deepEqual(all[name], schema, name);
});
