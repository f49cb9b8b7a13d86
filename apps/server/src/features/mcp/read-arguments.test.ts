import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { nowhere } from "../../../test/project-world.ts";
import { sampleOf } from "../../../test/samples.ts";
import { endpoints } from "../../features.ts";
import { readArguments } from "../../platform/http/arguments/read-arguments.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { type Tool, toolsOf } from "./tools.ts";

const tools = toolsOf(endpoints);
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Objects whose fields the caller chooses: a text within them stays one. */
const FREE = ["guardrails", "input", "output", "data", "value", "traits"];

type Fields = Record<string, unknown>;
type Path = readonly (string | number)[];

/** Arguments that the operation of a tool takes, without those of its query, which are texts in a request. */
function argumentsOf({ endpoint, shape }: Tool): Fields {
  const { path = {}, body = {} } = sampleOf(endpoint.spec, nowhere) as Record<string, Fields>;
  const version = path.version === undefined ? {} : { version: Number(path.version) };
  const all = { ...path, ...version, ...body };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in shape.properties));
}

/** Where in a value there are objects, lists, numbers and booleans. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value === "number" || typeof value === "boolean") return [at];
  if (typeof value !== "object" || value === null) return [];
  return [
    at,
    ...Object.entries(value).flatMap(([key, child]) =>
      placesIn(child, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

/** The value with what stands at a path replaced by its JSON. */
function asText(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? asText(each, rest) : each));
  const object = value as Fields;
  return { ...object, [step]: asText(object[step], rest) };
}

describe("every tool", () => {
  for (const tool of tools) {
    const { name, inputSchema } = tool.description;
    const given = argumentsOf(tool);

    it(`${name} takes its arguments as they are, and as text wherever it takes no text`, () => {
      assert.deepEqual(readArguments(tool.shape, given), given);
      const places = placesIn(given).filter((path) => path.length > 0);
      for (const path of places) {
        if (path.slice(0, -1).some((step) => FREE.includes(String(step)))) continue;
        const written = asText(given, path) as Fields;
        const says = `${path.join(".")} of ${JSON.stringify(given)}`;
        assert.deepEqual(readArguments(tool.shape, written), given, says);
      }
      // All of them at once, each within the text of the one around it.
      const all = places
        .filter((path) => !path.slice(0, -1).some((step) => FREE.includes(String(step))))
        .toSorted((a, b) => b.length - a.length)
        .reduce<unknown>(asText, given);
      assert.deepEqual(readArguments(tool.shape, all as Fields), given);
    });

    it(`${name} leaves out null for what may be left out, unless null means something`, () => {
      for (const argument of Object.keys(inputSchema.properties ?? {})) {
        const { [argument]: own, ...others } = given;
        const isRequired = inputSchema.required?.includes(argument) === true;
        const takes = ajv.compile({
          ...inputSchema,
          required: [],
          properties: { [argument]: inputSchema.properties?.[argument] },
        });
        const isKept = isRequired || takes({ [argument]: null });
        const read = readArguments(tool.shape, { ...others, [argument]: null });
        assert.deepEqual(read, isKept ? { ...others, [argument]: null } : others, argument);
      }
    });
  }
});

describe("create_campaign", () => {
  const { shape } = tools.find(({ description }) => description.name === "create_campaign") ?? assert.fail();
  const node = { kind: "field", field: { kind: "trait", key: "plan" }, op: "in", value: ["pro", "free"] };
  const expression = { version: 1, root: { kind: "not", child: node } };

  it("reads texts as deep as its audience goes", () => {
    const text = JSON.stringify;
    const written = {
      kind: "expression",
      expression: text({
        version: "1",
        root: text({ kind: "not", child: text(node) }),
      }),
    };
    const wanted = { audience: { kind: "expression", expression } };
    assert.deepEqual(readArguments(shape, { audience: text(written) }), wanted);
    const eq = { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: '["pro"]' };
    const kept = { audience: { kind: "expression", expression: { version: 1, root: eq } } };
    assert.deepEqual(readArguments(shape, kept), kept, "a text stays one where a text is taken");
  });

  it("leaves out null at any depth, and what it hides as well", () => {
    const message = { presentation: "toast", title: "Hi", body: null, cta: null };
    const read = readArguments(shape, {
      name: "C",
      message: null,
      channel: null,
      push: null,
      launch: null,
      sourceChanges: null,
      goalId: null,
      variants: [{ name: null, weight: 50, message }],
    });
    assert.deepEqual(read, {
      name: "C",
      goalId: null,
      variants: [{ weight: 50, message: { presentation: "toast", title: "Hi" } }],
    });
  });

  it("names the text that is no JSON of what it has to be", () => {
    const cases: [args: Fields, says: string][] = [
      [{ message: "Hello" }, "message must be an object: the text that was sent is no JSON of one"],
      [{ message: "[1]" }, "message must be an object: the text that was sent is no JSON of one"],
      [{ variants: '{"a":1}' }, "variants must be a list: the text that was sent is no JSON of one"],
      [
        { variants: [{ message: "{" }] },
        "variants[0].message must be an object: the text that was sent is no JSON of one",
      ],
      [
        { message: '{"title":"\\u0000"}' },
        "message.title must not contain NUL characters or unpaired surrogates",
      ],
      [
        { message: '{"title":1e400}' },
        "message.title is a number that cannot be kept exactly: send it as a text",
      ],
      [{ message: "[".repeat(100_000) }, "message must not be nested deeper than 64 levels"],
    ];
    for (const [args, says] of cases)
      assert.throws(
        () => readArguments(shape, args),
        (error) => error instanceof ApiError && error.message === says,
        says,
      );
  });

  it("leaves to the operation what is neither", () => {
    for (const args of [
      { launch: "yes" },
      { variants: [{ weight: "many" }] },
      { unknown: "{}" },
      { name: null },
      { message: 5 },
      { variants: [{ weight: "01" }] },
      { variants: [{ weight: "1161888007138312192" }] },
      { launch: "1" },
    ])
      assert.deepEqual(readArguments(shape, args), args);
  });
});
