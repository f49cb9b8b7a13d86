import assert from "node:assert/strict";
import { it } from "node:test";
import { toolsOf } from "../../src/features/mcp/tools.ts";
import { endpoints, peopleEndpoints } from "../../src/features.ts";
import { argumentsOf } from "../../src/platform/http/arguments/arguments-of.ts";
import type { Endpoint, KeyKind, ToolOffer } from "../../src/platform/http/contract/endpoint.ts";
import { snakeCase } from "../../src/platform/text/snake-case.ts";
import { assertNone } from "./complaints.ts";

const KEYS_OF_PROGRAMS: readonly KeyKind[] = ["secret", "agent"];
const SENTENCE = /^[A-Za-z].{14,}\.$/;
/** Methods of which each overwrites something, or takes it away. */
const OVERWRITES = ["PUT", "PATCH", "DELETE"];

const changesNothing = ({ method, isRead }: Endpoint["spec"]): boolean => method === "GET" || isRead === true;

/** What is wrong with the offer of a tool. */
function faultsOf(endpoint: Endpoint, { name, isDestructive, hides = [] }: ToolOffer): string[] {
  const { spec } = endpoint;
  const { properties, required } = argumentsOf(endpoint);
  const own = snakeCase(spec.id);
  const faults: string[] = [];
  if (name === own) faults.push(`a tool is called ${own} by itself: leave its name out`);
  if (name !== undefined && !/^[a-z]+(_[a-z]+)+$/.test(name)) faults.push("a tool is named in snake case");
  if (isDestructive && changesNothing(spec))
    faults.push("a tool that changes nothing is not destructive: leave isDestructive out");
  if (!isDestructive && OVERWRITES.includes(spec.method))
    faults.push(`a tool with ${spec.method} overwrites something: say isDestructive: true`);
  for (const argument of hides) {
    if (!(argument in properties)) faults.push(`it takes no ${argument}, which its tool hides`);
    if (required.includes(argument)) faults.push(`it needs ${argument}, which its tool hides`);
  }
  return faults;
}

function complaintsOf(endpoint: Endpoint): string[] {
  const { tool, keys } = endpoint.spec;
  if (!KEYS_OF_PROGRAMS.some((kind) => keys.includes(kind)))
    return tool === undefined ? [] : ["no model can call it, so leave tool out"];
  if (tool === undefined)
    return [
      'say below its budget how models get it as a tool, as in tool: {} or tool: { isDestructive: true }, or in a sentence why not, as in tool: "It cannot be undone."',
    ];
  if (typeof tool === "object") return faultsOf(endpoint, tool);
  return SENTENCE.test(tool) ? [] : ["tool is no whole sentence that says why models do not get it"];
}

it("every operation of programs says how models get it as a tool, or why not", () =>
  assertNone(
    [...endpoints, ...peopleEndpoints].flatMap((endpoint) =>
      complaintsOf(endpoint).map((complaint) => `${endpoint.spec.id}: ${complaint}`),
    ),
  ));

it("every tool has a name of its own", () => {
  const names = toolsOf(endpoints).map(({ description }) => description.name);
  assertNone(
    names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${name} is two tools`),
  );
});

it("the tools are small together", () => {
  const { length } = JSON.stringify(toolsOf(endpoints).map(({ description }) => description));
  assert.ok(
    length < 60_000,
    `the list of tools has ${length} characters, which fill what a model can read: 60,000 is the most. Let a tool hide arguments, or say in a sentence at tool why an operation is none`,
  );
});
