import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { endpoint } from "../contract/endpoint.ts";
import { anyOf, epochMs, mention } from "../contract/fields.ts";
import { openApiDocument } from "./document.ts";

type Tree = { name: string; children: Tree[] };
const Tree: z.ZodType<Tree> = z.lazy(() => AnyTree).meta({ id: "Tree" });
const AnyTree = z.object({ name: z.string().max(9), children: z.array(Tree).max(9) });
const Leaf = z.object({ colour: z.string().max(9).meta({ example: "green" }) }).meta({ id: "Leaf" });
const text = z.string().max(9);

/** The document of one operation, which takes and answers the fields. */
function documentOf(fields: z.ZodRawShape, params = z.object({ id: text })) {
  const shape = z.object(fields);
  const spec = {
    id: "plant",
    method: "POST",
    path: "/plants/{id}",
    summary: "Plant",
    tag: "Plants",
  } as const;
  const only = endpoint({ ...spec, keys: ["secret"], params, body: shape, result: shape }, async () => ({}));
  const tags = [{ name: "Plants", description: "What grows." }];
  return JSON.parse(JSON.stringify(openApiDocument({ endpoints: [only], tags })));
}

const answered = (fields: z.ZodRawShape) => documentOf(fields).components.schemas.PlantAnswer.properties;
const exampleOf = (fields: z.ZodRawShape) =>
  documentOf(fields).paths["/plants/{id}"].post.responses[200].content["application/json"].example;

describe("the words of the document", () => {
  it("are those of the schema, and its example is shown in the answer alone", () => {
    const fields = { height: z.int().min(0).max(9).meta({ description: "How tall.", example: 7 }) };
    assert.deepEqual(answered(fields).height, {
      type: "integer",
      minimum: 0,
      maximum: 9,
      description: "How tall.",
    });
    assert.deepEqual(exampleOf(fields), { height: 7 });
  });
  it("show the example of a path beside the parameter", () => {
    const id = text.meta({ description: "Id of the plant.", example: "fern" });
    const [parameter] = documentOf({}, z.object({ id })).paths["/plants/{id}"].post.parameters;
    assert.equal(parameter.example, "fern");
    assert.deepEqual(parameter.schema, { type: "string", maxLength: 9 });
  });
  it("keep fields that have the names of what schemas say of themselves", () => {
    const fields = { example: text.describe("A leaf."), id: text.describe("Its id.") };
    assert.deepEqual(Object.keys(answered(fields)), ["example", "id"]);
    assert.deepEqual(exampleOf({ box: z.object(fields).meta({ example: { id: "fern" } }) }), {
      box: { id: "fern" },
    });
  });
  it("stand beside a value and null, be it described before or after that it may be null", () => {
    const described = text.describe("Its colour.");
    const { before, after } = answered({
      before: described.nullable(),
      after: text.nullable().describe("Its colour."),
    });
    assert.deepEqual(before, after);
    assert.equal(before.description, "Its colour.");
    assert.equal(exampleOf({ at: epochMs.nullable() }).at, exampleOf({ at: epochMs }).at);
  });
  it("say of a component what it is there, in requests and answers, and still refer to it", () => {
    const {
      PlantBody,
      PlantAnswer,
      Leaf: leaf,
    } = documentOf({ leaf: Leaf.describe("The first leaf.") }).components.schemas;
    const first = { description: "The first leaf.", $ref: "#/components/schemas/Leaf" };
    assert.deepEqual([PlantBody.properties.leaf, PlantAnswer.properties.leaf], [first, first]);
    assert.deepEqual(leaf.properties, { colour: { type: "string", maxLength: 9 } });
    assert.deepEqual(exampleOf({ leaf: Leaf.describe("The first leaf.") }), { leaf: { colour: "green" } });
  });
  it("leave one of several shapes what it is", () => {
    const { either } = answered({ either: anyOf(Leaf, text).describe("A leaf, or its colour.") });
    assert.deepEqual(either.anyOf, [{ $ref: "#/components/schemas/Leaf" }, { type: "string", maxLength: 9 }]);
    assert.equal(either.description, "A leaf, or its colour.");
  });
  it("mention what contains itself without writing it out again", () => {
    const { schemas } = documentOf({ root: mention(Tree, "Where it begins.") }).components;
    const root = { $ref: "#/components/schemas/Tree", description: "Where it begins." };
    assert.deepEqual(schemas.PlantAnswer.properties.root, root);
    assert.deepEqual(schemas.Tree.properties.children.items, { $ref: root.$ref });
    assert.deepEqual(
      Object.keys(schemas).filter((name) => name.startsWith("__")),
      [],
    );
  });
});
