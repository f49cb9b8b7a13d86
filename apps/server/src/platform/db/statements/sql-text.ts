import { type OperationNode, type OperationNodeSource, RawNode } from "kysely";

/**
 * A piece of SQL: the name of a table or of a CTE, a condition, CTEs. It is text in both ways to write SQL: in a template string, `${piece}`
 * is its text, and so it is in Kysely's `sql` tag, where a plain string would become a parameter. It never changes.
 */
export class SqlText implements OperationNodeSource {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text, as template strings and `join` put it into a longer one. */
  toString(): string {
    return this.#text;
  }

  /** The text as Kysely puts it into a query. */
  toOperationNode(): OperationNode {
    return RawNode.createWithSql(this.#text);
  }
}

/** A piece with this text, which has to be code: what people or requests give is always a parameter. */
export const sqlText = (text: string): SqlText => new SqlText(text);
