/**
 * Node's test runner follows every promise, to name the test that a rejection without a handler comes from. That costs a sixth of
 * the processor time of tests. Without it such a rejection fails its file (run-file.ts), with the test that was under way. Tests,
 * timers and sockets are followed as before. Import this before anything that loads `node:test`.
 */
import hooks from "node:async_hooks";

const { createHook } = hooks;
hooks.createHook = (callbacks) => {
  // Newer than the published types.
  const options = { ...callbacks, trackPromises: false };
  return createHook(options);
};
