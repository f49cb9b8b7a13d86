export { authenticateInstallation } from "./authenticate.ts";
export { eraseInstallations } from "./erase-store.ts";
export { findInstallation, type InstallationRow, toInstallation } from "./store.ts";
export { adoptEndedTokens, type EndedToken, endTokens } from "./tokens/ended-token-store.ts";
export { type BrowserSubscription, readSubscription } from "./tokens/subscription.ts";
export { tokenRefOf } from "./tokens/token-ref-of.ts";
