import { it } from "node:test";
import { endpoints, peopleEndpoints } from "../../src/features.ts";
import { defaultBudgets } from "../../src/platform/http/budgets/budget.ts";
import type { Endpoint } from "../../src/platform/http/contract/endpoint.ts";
import { PERSON_ROLES } from "../../src/platform/http/contract/person.ts";
import { assertNone } from "./complaints.ts";

const all = [...endpoints, ...peopleEndpoints];

/** What is wrong with a contract: a condition that must not be, and what to write. */
type Fault = readonly [isThere: boolean, says: string];

/** What is wrong with any contract, with the operation before it. */
const complaintsOf = (faults: (spec: Endpoint["spec"]) => readonly Fault[]): string[] =>
  all.flatMap(({ spec }) =>
    faults(spec).flatMap(([isThere, says]) => (isThere ? `${spec.id}: ${says}` : [])),
  );

it("every operation says which keys and which people may call it", () =>
  assertNone(
    complaintsOf(({ keys, people, fresh, scope, refusals, path, takesForeign }) => [
      [
        keys.length === 0 && people === undefined,
        'nothing can call it: give it keys, as in keys: ["secret"], or people, as in people: "editor"',
      ],
      [
        people === undefined && (fresh === true || scope !== undefined),
        "fresh and scope are about people, and none may call it: leave them out, or say people",
      ],
      [fresh === true && refusals !== undefined, "fresh needs a reason in refusals: leave refusals out"],
      [
        keys.length === 0 && !path.startsWith("/api/people/"),
        "people alone call it: let its path begin with /api/people/, or give it keys",
      ],
      [
        keys.length > 0 && !path.startsWith(takesForeign ? "/v1/" : "/api/v1/"),
        "keys call it: let its path begin with /api/v1/, or with /v1/ where libraries of other services call it",
      ],
    ]),
  ));

it("every operation with keys says in which budget its requests count", () =>
  assertNone([
    ...complaintsOf(({ keys, budget }) => [
      [
        keys.length > 0 && budget === undefined,
        `give it the budget of the group that it belongs to (docs/running.md lists them): ${Object.keys(defaultBudgets).join(", ")}`,
      ],
      [keys.length === 0 && budget !== undefined, "budgets are of keys, and it has none: leave budget out"],
    ]),
    ...Object.keys(defaultBudgets).flatMap((name) =>
      endpoints.some(({ spec }) => spec.budget === name)
        ? []
        : `budget ${name}: no operation counts in it, so take it out of platform/http/budgets/budget.ts`,
    ),
  ]));

it("every operation of the send key is of transactional mail: the key does nothing else", () =>
  assertNone(
    complaintsOf(({ keys, budget, identifies }) =>
      keys.includes("send")
        ? [
            [budget !== "send", 'the send key calls it: say budget: "send", or leave the send key out'],
            [!keys.includes("secret"), "what the send key may do, the secret key may: add it to its keys"],
            [
              keys.includes("publishable") || identifies !== undefined,
              "the send key is of servers, and proves no user: leave it out where pages and apps call",
            ],
          ]
        : [],
    ),
  ));

it("every operation with a body gives an example of it that the body allows", () =>
  assertNone(
    complaintsOf(({ body, example }) => [
      [
        body !== undefined && example === undefined,
        "give it an example of its body, below the body: readers look at it first, and tests send it",
      ],
      [
        body !== undefined && example !== undefined && !body.safeParse(example).success,
        "its body does not allow its example",
      ],
    ]),
  ));

it("every operation that answers a total, or when it was evaluated, is read at one instant", () =>
  assertNone(
    complaintsOf(({ result, oneInstant, keys }) => {
      const answers = Object.keys(result !== undefined && "shape" in result ? Object(result.shape) : {});
      const isOfOne = answers.includes("total") || answers.includes("evaluatedAt");
      return [
        [
          keys.length > 0 && isOfOne && oneInstant === undefined,
          "what it answers has to be of one instant: say oneInstant: true and ask through ctx.db alone, or in a sentence how its numbers agree otherwise",
        ],
        [
          typeof oneInstant === "string" && !isOfOne,
          "it answers nothing that has to agree: leave the sentence at oneInstant out",
        ],
      ];
    }),
  ));

it("every change that people below an approver may make says whether it reaches users", () => {
  const below = PERSON_ROLES.slice(0, PERSON_ROLES.indexOf("approver"));
  assertNone(
    complaintsOf(({ people, method, isRead, reachesUsers }) => {
      const isMeant = below.some((role) => role === people) && method !== "GET" && isRead !== true;
      return [
        [
          isMeant && reachesUsers === undefined,
          "say below people whether it reaches users at once: reachesUsers: true, and call assertMayReachUsers, or in a sentence why not",
        ],
        [
          !isMeant && reachesUsers !== undefined,
          "no person below an approver changes something by it: leave reachesUsers out",
        ],
      ];
    }),
  );
});
