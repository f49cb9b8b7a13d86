export {
  type CompiledEmail,
  compileEmail,
  type EmailOptions,
  fillEmail,
  type Recipient,
} from "./compiled-email.ts";
export { type DkimKey, signDkim } from "./dkim.ts";
export { type AtTheEnd, type Examined, examineEmail } from "./examine.ts";
export { headersAlone, readMail, type ShownMail } from "./read-mail.ts";
