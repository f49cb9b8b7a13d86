export { webCensus } from "./census.ts";
export { eraseReceipts } from "./erase-store.ts";
export { webGates } from "./gates.ts";
export { serveMessages } from "./get-messages.ts";
export { previewWeb } from "./preview.ts";
export { acknowledge } from "./send-delivery-feedback.ts";
