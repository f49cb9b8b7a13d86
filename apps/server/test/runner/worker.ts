/** A process that runs one test file after another, as the runner orders them. */
import "./untracked.ts";
import type { Order, Report } from "./protocol.ts";

const tell = (report: Report): void => {
  process.send?.(report);
};

process.on("message", async ({ root, file, isBrief }: Order) => {
  // The file reads it when it is loaded (test/rounds.ts).
  if (isBrief) process.env.TIDINGS_TEST_BRIEF = "1";
  else delete process.env.TIDINGS_TEST_BRIEF;
  // Loaded only now, because it loads Node's test runner.
  const { runFile } = await import("./run-file.ts");
  const outcome = await runFile(root, file, (type, test) => tell({ type, test }));
  tell({ type: "done", outcome });
});
// Without its runner a worker has nowhere to report to; the runner ends what the tests started.
process.once("disconnect", () => process.exit());
