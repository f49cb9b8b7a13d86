import type { Input } from "@tidings/client";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";

type Changes = Input<"prepareEmailSender">["body"];

/** Changes how mail leaves. A request that is sent again after a lost answer has its effect once. */
export function usePrepare(scope: string) {
  const [key, setKey] = useState(newRequestKey);
  const { mutate, ...state } = useChange(scope, "prepareEmailSender", [
    "getEmailSender",
    "getEmailHealth",
    "listAuditEntries",
  ]);
  const prepare = (body: Changes, done: () => void = () => undefined): void =>
    mutate(
      { body, headers: { "Idempotency-Key": key } },
      {
        onSuccess: () => {
          setKey(newRequestKey());
          done();
        },
        // What is typed next is another request.
        onError: () => setKey(newRequestKey()),
      },
    );
  return { ...state, prepare };
}
