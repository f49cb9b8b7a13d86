export { describeAudience, describeExpression } from "./describe.ts";
export { countOccurrences, MAX_READ_EVENTS, readFacts, recentEventsJoin } from "./facts-store.ts";
export { allUsers, countMatching, matchingUsers, sampleMatching } from "./matching-store.ts";
export { requireExpression } from "./require-expression.ts";
