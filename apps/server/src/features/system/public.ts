export { type Examined, examine, examineIn } from "./examine.ts";
