/**
 * The usual way: the same work as track (user upsert, event, count per name, dedupe by eventId), durable, one statement
 * per request on a pool of connections. One statement, not four: a fair opponent.
 */
import { hash } from "node:crypto";
import { fastify } from "fastify";
import pg from "pg";

const pool = new pg.Pool({ host: process.env.PGHOST, user: "tidings", database: "tidings", max: 20 });
await pool.query(`
  create table users (user_key uuid primary key, external_id text not null, first_seen_at bigint not null, last_seen_at bigint not null);
  create table events (id bigint generated always as identity primary key, user_key uuid not null, name text not null, props jsonb, ts bigint not null, event_id text);
  create unique index on events (user_key, event_id) where event_id is not null;
  create table event_counts (user_key uuid, name text, count bigint not null, first_at bigint not null, last_at bigint not null, primary key (user_key, name));
`);
const TRACK = `
  with fresh as (
    insert into events (user_key, name, props, ts, event_id) values ($1, $3, $4, $5, $6)
    on conflict do nothing returning user_key, name, ts
  ), seen as (
    insert into users as u (user_key, external_id, first_seen_at, last_seen_at) select user_key, $2, ts, ts from fresh
    on conflict (user_key) do update set last_seen_at = greatest(u.last_seen_at, excluded.last_seen_at)
  )
  insert into event_counts as c (user_key, name, count, first_at, last_at) select user_key, name, 1, ts, ts from fresh
  on conflict (user_key, name) do update set count = c.count + 1, last_at = greatest(c.last_at, excluded.last_at)`;

const server = fastify();
const body = {
  type: "object",
  required: ["userId", "event"],
  properties: {
    userId: { type: "string" },
    event: { type: "string" },
    props: { type: "object" },
    eventId: { type: "string" },
  },
};
type Track = { userId: string; event: string; props?: object; eventId?: string };
server.post<{ Body: Track }>("/api/v1/track", { schema: { body } }, async (request) => {
  const { userId, event, props, eventId } = request.body;
  const values = [hash("md5", userId), userId, event, props, Date.now(), eventId];
  await pool.query({ name: "track", text: TRACK, values });
  return { ok: true };
});
await server.listen({ port: 0, host: "127.0.0.1" });
console.log(server.listeningOrigin);
process.once("SIGTERM", () => process.exit(0));
