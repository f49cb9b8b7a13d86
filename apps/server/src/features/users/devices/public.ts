export { authenticateInstallation } from "./authenticate.ts";
export { bringTokensBackLoop } from "./bring-tokens-back.ts";
export { adoptEndedTokens, type EndedToken, endTokens } from "./ended-token-store.ts";
export { eraseInstallations } from "./erase-store.ts";
export { findInstallation, type InstallationRow, toInstallation } from "./store.ts";
