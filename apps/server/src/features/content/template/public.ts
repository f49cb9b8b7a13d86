export { readTemplateUser } from "./template-user.ts";
