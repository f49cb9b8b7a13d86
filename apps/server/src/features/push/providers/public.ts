export { readSigningKey } from "./keys.ts";
export { pushClients } from "./push-clients.ts";
