-- Rises whenever a campaign says something else. Who sends reads the texts once for many messages, and compares before each one
-- leaves: a text that was mended is the one that is sent.
alter table campaigns add column content_version integer not null default 1;
