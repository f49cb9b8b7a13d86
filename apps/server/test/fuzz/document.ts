import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { z } from "zod";
import { withResponsesInPlace } from "../responses-in-place.ts";

const Properties = z.record(z.string(), z.unknown());

/** What the fuzzer reads of a JSON Schema; anything else in it is for the validator. */
const Schema = z.looseObject({
  $ref: z.string().optional(),
  type: z.string().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  properties: Properties.optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  minLength: z.int().optional(),
  maxLength: z.int().optional(),
  minItems: z.int().optional(),
  maxItems: z.int().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
export type Schema = z.infer<typeof Schema>;

const Media = z.object({ schema: z.unknown() });
const Operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: z.unknown() })),
  requestBody: z.object({ content: z.record(z.string(), Media) }).optional(),
  responses: z.record(
    z.string(),
    z.object({ content: z.object({ "application/json": Media }).partial().loose().optional() }),
  ),
});
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

/** A parameter as the document describes it. */
export type Parameter = { name: string; in: string; schema: Schema };

/** One operation of the document. */
export type Described = {
  id: string;
  parameters: readonly Parameter[];
  /** Of its JSON body; undefined where it takes none. */
  body: Schema | undefined;
  /** Statuses that it declares. */
  statuses: ReadonlySet<number>;
  /** Types of files that it answers in place of JSON. */
  files: ReadonlySet<string>;
  /** Says whether the document allows this JSON body. */
  allows(body: unknown): boolean;
  /** What is wrong with a body of this status, or null; an empty text is no body. */
  wrongAnswer(status: number, text: string): string | null;
};

export type ApiDocument = {
  operations: ReadonlyMap<string, Described>;
  /** A schema with its reference followed. */
  resolve(schema: unknown): Schema;
};

const JSON_TYPE = "application/json";
const escaped = (part: string): string =>
  encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Reads an OpenAPI document. Bodies are judged by a validator that shares nothing with the server's own. */
export function readDocument(given: Readonly<Record<string, unknown>>): ApiDocument {
  const document = withResponsesInPlace(given);
  const { paths, components } = Document.parse(document);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, "api");
  /** Compiled when it is asked for first: most of a document are refusals, which few readers judge. */
  const validator = (...place: string[]): ValidateFunction => {
    const found = ajv.getSchema(`api#/${place.map(escaped).join("/")}`);
    if (found === undefined) throw new Error(`The document has no schema at ${place.join(" ")}.`);
    return found;
  };

  function resolve(schema: unknown): Schema {
    const read = Schema.parse(schema);
    const name = read.$ref?.replace("#/components/schemas/", "");
    return name === undefined ? read : resolve(components.schemas[name]);
  }

  function describe(path: string, method: string, operation: z.infer<typeof Operation>): Described {
    const place = ["paths", path, method];
    const body = operation.requestBody?.content[JSON_TYPE]?.schema;
    const answers = new Map(
      Object.entries(operation.responses).map(([status, { content }]) => [
        Number(status),
        content?.[JSON_TYPE] !== undefined,
      ]),
    );
    return {
      id: operation.operationId,
      parameters: operation.parameters.map((each) => ({ ...each, schema: resolve(each.schema) })),
      body: body === undefined ? undefined : resolve(body),
      statuses: new Set(answers.keys()),
      files: new Set(
        Object.values(operation.responses)
          .flatMap(({ content }) => Object.keys(content ?? {}))
          .filter((type) => type !== JSON_TYPE),
      ),
      allows: (value) =>
        body === undefined ||
        validator(...place, "requestBody", "content", JSON_TYPE, "schema")(value) === true,
      wrongAnswer(status, text) {
        if (!answers.get(status)) return text === "" ? null : "has a body, and none is declared";
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          return "is not JSON";
        }
        const check = validator(...place, "responses", String(status), "content", JSON_TYPE, "schema");
        return check(value) ? null : ajv.errorsText(check.errors, { dataVar: "answer" });
      },
    };
  }

  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation)),
  );
  return { operations: new Map(operations.map((each) => [each.id, each])), resolve };
}
