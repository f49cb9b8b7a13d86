export { emailCensus } from "./census.ts";
export { anonymizeSends } from "./erase-store.ts";
export { findErasedMessage, reportErasedMessages } from "./erased-messages-store.ts";
export { emailGates } from "./gates.ts";
export { linkSigner } from "./links.ts";
export { previewEmail } from "./preview.ts";
export { PROVIDERS, type Provider } from "./provider-headers.pure.ts";
export { acceptUnknown } from "./send/accept-store.ts";
export { listUnknownSends, resendUnknown, type UnknownSend } from "./unknown/store.ts";
