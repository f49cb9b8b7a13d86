export { pinExpression, pinSegment } from "./pin.ts";
export { findSegmentKeys, findSegmentName } from "./store.ts";
