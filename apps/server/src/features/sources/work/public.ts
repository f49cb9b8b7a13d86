export { isRefDue } from "./ref-store.ts";
