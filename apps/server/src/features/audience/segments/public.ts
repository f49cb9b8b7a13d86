export { pinExpression, pinSegment } from "./pin.ts";
export { requireSegmentExpression } from "./require-segment.ts";
export { findSegmentKeys, findSegmentName } from "./store.ts";
