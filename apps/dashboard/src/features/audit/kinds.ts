import type { Answer } from "@tidings/client";
import { useOperation } from "../../platform/operations.ts";

/** What people can do, by what it is about: each operation with its words, as its contract has them. */
export type AuditKinds = Answer<"listAuditKinds">["kinds"];

/** The kinds of changes, which are the same for as long as the server runs. */
export const useKinds = (scope: string) =>
  useOperation(scope, "listAuditKinds", undefined, { refetchInterval: false });

/** What an operation does, in words; its id where there are none. */
export const operationText = (kinds: AuditKinds, id: string): string =>
  kinds.flatMap(({ operations }) => operations).find((operation) => operation.id === id)?.did ?? id;

/** The operations of a kind, as a query names them; undefined where there is no such kind. */
export const operationsIn = (kinds: AuditKinds, kind: string): string | undefined =>
  kinds
    .find(({ name }) => name === kind)
    ?.operations.map(({ id }) => id)
    .join(",");
