export { eraseHits } from "./erase-store.ts";
export { hitBatch } from "./hits.ts";
export { deadLinkPage, FROM_EVERYTHING, offPage, readerPage } from "./page.ts";
export { recordReports } from "./report.ts";
export { resumeMail } from "./resume.ts";
export { type Linked, readLinked, recipientOf } from "./unsubscribe.ts";
