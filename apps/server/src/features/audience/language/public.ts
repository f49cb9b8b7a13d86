export { describeAudience, describeExpression } from "./describe.ts";
export { explainExpression } from "./engines/explain.ts";
export { readFactsOfMany } from "./engines/facts-of-many-store.ts";
export { countOccurrences, MAX_READ_EVENTS, needsReadJoin } from "./engines/facts-store.ts";
export {
  findKeyRange,
  findRangeOf,
  isInKeyRange,
  type KeyRange,
  matchingUsersIn,
} from "./engines/key-range-store.ts";
export {
  allUsers,
  countMatching,
  countNodesMatching,
  matchingUsers,
  sampleMatching,
} from "./engines/matching-store.ts";
export { expressionsMatching } from "./engines/matching-user.ts";
export { requireEventRule, requireExpression } from "./require-expression.ts";
