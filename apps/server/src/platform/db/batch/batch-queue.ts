import type { App } from "../../runtime.ts";

/** The queue of rows that wait for one kind of statement: its ceiling, and the metric that shows its length. */
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
