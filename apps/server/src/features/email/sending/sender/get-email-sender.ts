import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { EmailSender } from "./schema.ts";
import { viewSender } from "./view.ts";

export const getEmailSender = endpoint(
  {
    id: "getEmailSender",
    method: "GET",
    path: "/api/people/email/sender",
    tag: "Email",
    summary: "How mail leaves, and what is missing before it can",
    description: "Of secrets it says whether they are set.",
    keys: [],
    people: "viewer",
    result: EmailSender,
  },
  viewSender,
);
