export { describeAudience, describeExpression } from "./describe.ts";
export { occurrencesJoin, readFacts } from "./facts-store.ts";
export { countMatching, sampleMatching } from "./matching-store.ts";
export { requireExpression } from "./require-expression.ts";
