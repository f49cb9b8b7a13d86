-- Addresses of customers that get messages about what happens in a project. `types`: the types of messages that it wants; `*` stands for all
-- but those about deliveries. `off_because`: why it gets nothing now. `former_sealed` signs beside `sealed` until `former_until`.
-- `failing_since`: the first attempt that failed since the last one that succeeded. `alerted_at`: when its owners got a mail that it is off.
-- One that was deleted stays until its messages are.
create table webhooks (
  id uuid primary key,
  project_id uuid not null references projects (id) on delete cascade,
  url text not null,
  description text,
  types text[] not null,
  state text not null default 'off' check (state in ('on', 'off')),
  off_because text default 'brought' check (off_because in ('person', 'gone', 'failing', 'flooded', 'brought')),
  off_at int8,
  sealed bytea,
  former_sealed bytea,
  former_until int8,
  failing_since int8,
  succeeded_at int8,
  failed_at int8,
  fault text,
  made_by text not null,
  made_at int8 not null,
  changed_at int8 not null,
  alerted_at int8,
  deleted_at int8,
  check ((state = 'on') = (off_because is null)),
  check (state = 'off' or (sealed is not null and deleted_at is null))
);
create index webhooks_by_project on webhooks (project_id, made_at) where deleted_at is null;
create index webhooks_on on webhooks (project_id) where state = 'on';

-- Ids of messages follow each other, because the first half of one counts up; the second half is random, so that a database that was restored
-- from a copy never gives an id twice.
create sequence webhook_message_order;
create function webhook_message_id() returns uuid language sql volatile as $$
  select (lpad(to_hex(nextval('webhook_message_order')), 16, '0') || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
$$;

-- What a webhook is to be sent, written in the commit of what it is about. `object`: what messages keep their order about; `lane` is that of the
-- object, which is that of its user or address. `due_at`: when it may leave (0: at once); null while an earlier message about its object waits.
-- The body is made when it leaves, of the user, address or delivery as they are then; `data` is what it says beside that. `tries` counts
-- attempts since it was written or replayed, `attempts` all.
create table webhook_messages (
  lane int2 not null,
  id uuid not null default webhook_message_id(),
  webhook_id uuid not null,
  project_id uuid not null,
  type text not null,
  happened_at int8 not null,
  object uuid not null,
  user_key uuid,
  campaign_id uuid,
  occasion int4,
  variant_id uuid,
  address_key uuid,
  data jsonb,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'delivered', 'given_up')),
  due_at int8 default 0,
  tries int4 not null default 0,
  attempts int4 not null default 0,
  gap_before bool not null default false,
  replayed_at int8,
  ended_at int8,
  lease_owner uuid,
  leased_until int8,
  primary key (lane, id),
  check ((state = 'sending') = (lease_owner is not null))
);
create index webhook_messages_by_state on webhook_messages (webhook_id, state, id);
create index webhook_messages_due on webhook_messages (webhook_id, due_at, id) where state = 'waiting';
create index webhook_messages_open on webhook_messages (webhook_id, object, id) where state in ('waiting', 'sending');
create index webhook_messages_sending on webhook_messages (leased_until) where state = 'sending';
create index webhook_messages_by_user on webhook_messages (lane, user_key) where user_key is not null;
create index webhook_messages_by_address on webhook_messages (lane, address_key) where address_key is not null;

-- Each request that carried a message: the status that came back, or why none did.
create table webhook_attempts (
  lane int2 not null,
  message_id uuid not null,
  ordinal int4 not null,
  webhook_id uuid not null,
  project_id uuid not null,
  attempted_at int8 not null,
  took_ms int4 not null,
  status int4,
  answer text,
  fault text,
  primary key (lane, message_id, ordinal)
);
