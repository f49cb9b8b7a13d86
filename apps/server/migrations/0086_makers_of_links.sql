-- Who made a link that lets people in; null for the server and for commands. It ends with its maker, and where they could no longer make it.
alter table person_links add column made_by_id uuid references members (person_id) on delete cascade;
-- Of the open links of before only a name is known, so that nobody can tell whether their maker is still here: they are made anew.
delete from person_links where used_at is null and kind <> 'first';
