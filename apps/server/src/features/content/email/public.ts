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
