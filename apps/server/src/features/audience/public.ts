export { describeAudience } from "./describe.ts";
