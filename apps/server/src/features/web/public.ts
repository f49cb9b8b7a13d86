export { adoptReceipts } from "./adopt-store.ts";
export { webCensus } from "./census.ts";
export { eraseReceipts } from "./erase-store.ts";
export { explainWeb } from "./explain.ts";
export { serveMessages } from "./get-messages.ts";
export { previewWeb } from "./preview.ts";
export { acknowledge } from "./send-delivery-feedback.ts";
export { planWebStep } from "./step.ts";
