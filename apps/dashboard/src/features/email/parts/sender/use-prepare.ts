import type { Input } from "@tidings/client";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";

type Changes = Input<"prepareEmailSender">["body"];

/** Changes how mail leaves. A request that is sent again after a lost answer has its effect once. */
export function usePrepare(scope: string) {
  const { headers, renew } = useRequestKey();
  const { mutate, ...state } = useChange(scope, "prepareEmailSender", [
    "getEmailSender",
    "getEmailHealth",
    "listAuditEntries",
  ]);
  const prepare = (body: Changes, done: () => void = () => undefined): void =>
    mutate(
      { body, headers },
      {
        onSuccess: () => {
          renew();
          done();
        },
        // What is typed next is another request.
        onError: renew,
      },
    );
  return { ...state, prepare };
}
