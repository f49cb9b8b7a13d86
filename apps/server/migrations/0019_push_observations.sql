-- What the demo's own way of pushing has brought to devices that are pages: a provider and a device in one, without a network.
create table demo_pushes (
  -- `demo-` and something random: who knows it is the device.
  token text not null,
  -- A push takes the place of an earlier one with the same.
  collapse_id text not null,
  id uuid not null,
  payload jsonb not null,
  at bigint not null,
  primary key (token, collapse_id)
);
create index demo_pushes_at on demo_pushes (at);
