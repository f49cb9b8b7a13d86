import assert from "node:assert/strict";

type Json = Readonly<Record<string, unknown>>;
type Responses = Readonly<Record<string, Json>>;
type Operation = { responses: Responses };
type Document = { paths: Record<string, Record<string, Operation>>; components: { responses: Responses } };

const RESPONSES = "#/components/responses/";

/** The responses of an operation, and where one refers to a component, that component. */
function responsesOf(operation: Operation, components: Responses): Responses {
  const entries = Object.entries(operation.responses).map(([status, response]) => {
    const { $ref } = response;
    if ($ref === undefined) return [status, response];
    const found = components[String($ref).replace(RESPONSES, "")];
    assert.ok(found, `${String($ref)} is not in the document.`);
    return [status, found];
  });
  return Object.fromEntries(entries);
}

/** An OpenAPI document that says the same, with each response where its operation refers to it. */
export function withResponsesInPlace(given: Json): Json {
  const { paths, components, ...rest } = structuredClone(given) as Document;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    operation.responses = responsesOf(operation, components.responses);
  return { ...rest, paths, components };
}
