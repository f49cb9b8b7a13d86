export { openMailCatcher } from "./mail-catcher.ts";
export {
  type CaughtMail,
  eraseCaughtMail,
  findCaughtMailAcrossProjects,
  listCaughtMailAcrossProjects,
  trimCaughtMailAcrossProjects,
} from "./mail-catcher-store.ts";
export { ANSWER_MS, openSmtp } from "./smtp.ts";
