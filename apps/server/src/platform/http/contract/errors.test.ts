import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, ApprovalRefusal, type ErrorCode, errorRegistry } from "./errors.ts";

describe("the bodies of refusals", () => {
  it("ApiError: {error}", () => {
    const error = new ApiError("not_found", "Goal not found", { cause: new Error("secret") });
    assert.equal(error.status, 404);
    assert.deepEqual(error.body(), { error: "Goal not found" });
  });
  it("ApiError: further fields where an operation documents them", () => {
    const error = new ApiError("conflict", undefined, { fields: { currentVersion: 3 } });
    assert.deepEqual(error.body(), { error: "Conflict", currentVersion: 3 });
  });
  it("ApiError, strictly: {error} of at most 256 characters, and nothing else", () => {
    const strictly = (message: string) =>
      new ApiError("conflict", message, { fields: { more: 1 } }).strictBody();
    for (const fits of ["x", "x".repeat(256), "💥".repeat(256)])
      assert.deepEqual(strictly(fits), { error: fits });
    assert.deepEqual(strictly("💥".repeat(257)), { error: `${"💥".repeat(255)}…` });
  });
  it("ApiError of source work: {ok, status, error, retryAfterMs?}, and the usual one at 401, 413, 429 and 500", () => {
    const plain = new ApiError("not_found", "No such ref", { fields: { reason: "x" } });
    assert.deepEqual(plain.sourceBody(), { ok: false, status: 404, error: "No such ref" });
    for (const code of ["unauthorized", "too_large", "rate_limited", "internal"] as const)
      assert.deepEqual(new ApiError(code, "No").sourceBody(), { error: "No" });
    const later = new ApiError("unavailable", "Evidence is not available", {
      fields: { retryAfterMs: 1_500 },
    });
    assert.deepEqual(later.sourceBody(), {
      ok: false,
      status: 503,
      error: "Evidence is not available",
      retryAfterMs: 1_500,
    });
    const now = new ApiError("unavailable", "now", { fields: { retryAfterMs: 0 } });
    assert.equal(now.sourceBody().retryAfterMs, 0);
  });
  it("ApprovalRefusal: {error, reason, approvalRequired, payloadHash}", () => {
    const refusal = new ApprovalRefusal("abc");
    assert.equal(refusal.status, 403);
    assert.deepEqual(refusal.body(), {
      error: "A person has to approve this first.",
      reason: "approval_required",
      approvalRequired: true,
      payloadHash: "abc",
    });
  });
});

describe("the registry of refusals", () => {
  const expected: Record<ErrorCode, [number, string]> = {
    invalid_request: [400, "Invalid request"],
    unauthorized: [401, "Unauthorized"],
    unidentified: [401, "Could not identify user"],
    forbidden: [403, "This key may not do that."],
    approval_required: [403, "A person has to approve this first."],
    not_found: [404, "Not found"],
    method_not_allowed: [405, "Method not allowed"],
    conflict: [409, "Conflict"],
    too_large: [413, "Request body too large"],
    rate_limited: [429, "Too many requests"],
    internal: [500, "Internal server error"],
    user_upsert_failed: [500, "Could not identify user"],
    managed_only: [501, "This operation is available on a managed deployment only."],
    unavailable: [503, "The service is not available right now; try again."],
  };
  for (const [code, [status, message]] of Object.entries(expected)) {
    it(`${code}: ${status} ${message}`, () => {
      const error = new ApiError(code as ErrorCode);
      assert.deepEqual([error.status, error.body()], [status, { error: message }]);
    });
  }
  it("is known here as a whole", () => {
    assert.deepEqual(Object.keys(expected).sort(), Object.keys(errorRegistry).sort());
  });
});
