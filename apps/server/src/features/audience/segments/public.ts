export { pinExpression, pinSegment } from "./pin.ts";
export { findSegmentKeys } from "./store.ts";
