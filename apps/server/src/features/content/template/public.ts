export { personOf } from "./person.ts";
