export { describeAudience, describeExpression } from "./describe.ts";
export { countOccurrences, MAX_READ_EVENTS, readFacts, recentEventsJoin } from "./engines/facts-store.ts";
export { allUsers, countMatching, matchingUsers, sampleMatching } from "./engines/matching-store.ts";
export { requireExpression } from "./parse/require-expression.ts";
