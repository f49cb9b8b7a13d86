import type { FastifyReply, FastifyRequest } from "fastify";
import { Overloaded } from "../../db/bounded-pool.ts";
import { KIB } from "../contract/endpoint.ts";

/** Bodies up to this size are not counted: the queues of what they ask for bound them. */
const SMALL_BYTES = 64 * KIB;

/** How many bytes of large bodies this process has read and not answered yet: parsed, a body takes many times its size. */
export type BodyRoom = {
  /** Called for a request that may have a large body, before that is read. */
  expect(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts the body of such a request until the answer is out, or its client is gone. @throws Overloaded where others take all of the room */
  take(request: FastifyRequest, bytes: number): void;
};

/** @param mostBytes of all large bodies together; a single one always has room */
export function createBodyRoom(mostBytes: number): BodyRoom {
  const replies = new WeakMap<FastifyRequest, FastifyReply>();
  let taken = 0;
  return {
    expect(request, reply) {
      replies.set(request, reply);
    },
    take(request, bytes) {
      const reply = replies.get(request);
      if (bytes <= SMALL_BYTES || reply === undefined) return;
      if (taken > 0 && taken + bytes > mostBytes)
        throw new Overloaded(`Bodies of ${taken} bytes are worked on, and one of ${bytes} came.`);
      taken += bytes;
      reply.raw.once("close", () => {
        taken -= bytes;
      });
    },
  };
}

/** Whether an operation with this body limit takes bodies that are counted. */
export const isRoomNeeded = (bodyLimit: number): boolean => bodyLimit > SMALL_BYTES;
