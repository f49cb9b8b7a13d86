export { authenticateInstallation } from "./authenticate.ts";
export { eraseInstallations } from "./erase-store.ts";
export { findInstallation, type InstallationRow, toInstallation } from "./store.ts";
export { adoptEndedTokens, type EndedToken, endTokens } from "./tokens/ended-token-store.ts";
