import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import type { Answer, Input, OperationId } from "@tidings/client";
import { useState } from "react";
import { search } from "../../platform/address.ts";
import { problemOf } from "../../platform/client.ts";
import { inWords } from "../../platform/faults.ts";
import { useChange } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";

type FormOptions<Draft, Id extends OperationId> = {
  scope: string;
  /** What saves it; it takes an Idempotency-Key. */
  operation: Id;
  /** Operations whose answers saving makes old. */
  stale: readonly OperationId[];
  /** Names the form and what it is about, in this tab. */
  key: string;
  /** What the form begins with, and again once a person gives up what they wrote. */
  initial: () => Draft;
};

/** The page that comes next, with what its address says of it, and what is said there. */
type Then = { to: string; message: string; replace?: boolean; address?: Readonly<Record<string, string>> };

/** What a person writes on a page of its own: this tab keeps it until the server has it, and it is sent once, however often it is pressed. */
export function useForm<Draft, Id extends OperationId>({
  scope,
  operation,
  stale,
  key,
  initial,
}: FormOptions<Draft, Id>) {
  const navigate = useNavigate();
  const { value: draft, isUnsaved, requestKey, startOver, saved, ...kept } = useKept(key, initial);
  const { mutateAsync, error: refusal, reset } = useChange(scope, operation, stale);
  const [isSaving, setSaving] = useState(false);
  const error = isSaving ? null : refusal;
  const fault = error === null ? null : problemOf(error).message;
  /** While it is saved it takes nothing: what was sent is all that the server will have, and the form goes away with the rest. */
  function change(next: Draft): void {
    if (!isSaving) kept.change(next);
  }
  return {
    draft,
    isUnsaved,
    isSaving,
    error,
    /** What the server says of it, in which fields are sought; null where it was not asked, or has taken it. */
    fault,
    /** The same for a person. */
    refusal: fault === null ? null : inWords(fault),
    change,
    /** Goes on with a draft to which what the server said last no longer applies. */
    goOn(next: Draft): void {
      reset();
      change(next);
    },
    startOver(): void {
      reset();
      startOver(initial());
    },
    send: (input: Omit<Input<Id>, "headers">): Promise<Answer<Id>> =>
      // The operation takes the header, which the type of all of them together cannot say.
      mutateAsync({ ...input, headers: { "Idempotency-Key": requestKey } } as unknown as Input<Id>),
    /** Runs what saves the form: it is being saved from the first request until the next page is there. What was refused is its `error`. */
    async save(act: () => Promise<void>): Promise<void> {
      setSaving(true);
      await act().catch(() => undefined);
      setSaving(false);
    },
    /** The server has it: says so, and opens another page. */
    async done({ message, address = {}, ...then }: Then): Promise<void> {
      saved();
      notifications.show({ message });
      await navigate({ ...then, search: search(address), ignoreBlocker: true });
    },
  };
}
