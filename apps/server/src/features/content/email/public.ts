export {
  type CompiledEmail,
  compileEmail,
  type EmailOptions,
  fillEmail,
  type Recipient,
} from "./compiled-email.ts";
export { type AtTheEnd, type Examined, examineEmail } from "./examine.ts";
export { type DkimKey, signDkim } from "./mime/dkim.ts";
export { headersAlone, readMail, type ShownMail } from "./mime/read-mail.ts";
export { dataPathsIn } from "./receipt/data-paths.ts";
export { explainRefusal } from "./receipt/explain-refusal.ts";
export { type FilledReceipt, fillReceipt } from "./receipt/fill-receipt.ts";
export { writeReceipt } from "./receipt/write-receipt.ts";
