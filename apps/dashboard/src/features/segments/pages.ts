import type { Page } from "../../platform/pages.ts";

export const segments: Page = {
  path: "segments",
  label: "Segments",
  section: "users",
  also: "audiences groups lists",
  role: "viewer",
  ofProject: true,
  load: async () => (await import("./list.tsx")).SegmentsPage,
};

export const segment: Page = {
  path: "segments/$segmentId",
  label: "Segment",
  role: "viewer",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./segment.tsx")).SegmentPage,
};

export const newSegment: Page = {
  path: "segments/new",
  label: "New segment",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./new.tsx")).NewSegmentPage,
};

export const editSegment: Page = {
  path: "segments/$segmentId/edit",
  label: "Edit",
  role: "editor",
  ofProject: true,
  isWithin: true,
  load: async () => (await import("./edit.tsx")).EditSegmentPage,
};
