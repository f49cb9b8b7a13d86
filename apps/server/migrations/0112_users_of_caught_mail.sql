-- Caught mail is forgotten with the user whose facts fill it, whatever address it was written to. Mail of before is found by its address alone.
alter table outbox_messages add column user_key uuid;
