export { openMailCatcher } from "./mail-catcher.ts";
export {
  eraseCaughtMail,
  findCaughtMailAcrossProjects,
  listCaughtMailAcrossProjects,
  type OwnedMail,
  trimCaughtMailAcrossProjects,
} from "./mail-catcher-store.ts";
export { ANSWER_MS, openSmtp } from "./smtp.ts";
