/**
 * What nodemailer does at its best, as a baseline: `node bench/pooled.ts PORT MESSAGES CONNECTIONS` sends messages of the same size
 * over its pool, and prints how many it sent per second.
 */
import { createTransport } from "nodemailer";
import { libraryMailOf } from "./library-mail.ts";

const [port, messages, connections] = process.argv.slice(2).map(Number);
const transport = createTransport({
  host: "127.0.0.1",
  port: port ?? 0,
  secure: false,
  ignoreTLS: true,
  pool: true,
  maxConnections: connections ?? 20,
  maxMessages: Number.POSITIVE_INFINITY,
});

let next = 0;
async function work(): Promise<void> {
  while (next < (messages ?? 0)) await transport.sendMail(libraryMailOf(next++));
}
await Promise.all(Array.from({ length: 100 }, work));
next = 0;
const began = performance.now();
await Promise.all(Array.from({ length: 200 }, work));
const seconds = (performance.now() - began) / 1_000;
console.log(JSON.stringify({ perSecond: (messages ?? 0) / seconds }));
transport.close();
