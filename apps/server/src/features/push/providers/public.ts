export { readSigningKey } from "./keys.ts";
export { providerAddress, pushClients } from "./push-clients.ts";
export { applicationServerKeyOf, newVapidKey } from "./vapid.ts";
