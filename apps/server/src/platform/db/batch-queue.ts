import type { App } from "../runtime.ts";

/** The rows that wait for a statement of one kind: how many may, and who wants to know how many do. */
export type BatchQueue = {
  name: string;
  mostRows: number;
  watch(length: () => number): void;
};

/** The queue of a group commit, with the ceiling of this server, shown in its metrics. */
export const batchQueue = ({ config, metrics }: App, name: string): BatchQueue => ({
  name,
  mostRows: config.limits.waitingRows,
  watch: (length) => metrics.queue(name, length),
});
