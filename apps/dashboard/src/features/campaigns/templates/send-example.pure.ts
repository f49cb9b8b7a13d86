import { curlOf } from "../../../platform/curl.ts";
import type { Data } from "./template-data.pure.ts";

/** What stands for a key of sending: it is shown once, when it is made. */
const SEND_KEY = "pk_send_…";
const RECIPIENT = "ada@example.com";

/** The request that sends a mail of a template, as a line for a shell. @param origin address of the server */
export const curlOfSend = (origin: string, template: string, data: Data): string =>
  curlOf(origin, "/api/v1/send", SEND_KEY, { template, to: { email: RECIPIENT }, data });

/** What leads the package of Resend to this server: its environment. */
export const resendEnvironment = (origin: string): string =>
  `RESEND_BASE_URL=${origin}/compat/resend\nRESEND_API_KEY=${SEND_KEY}`;

/** The line with which the package of Resend sends a mail of a template. */
export const resendLine = (template: string, data: Data): string => {
  const mail = { to: RECIPIENT, template: { id: template, variables: data } };
  return `await resend.emails.send(${JSON.stringify(mail, null, 2)});`;
};
