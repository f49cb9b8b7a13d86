-- A source may lie on the server's machine or in its network only where an operator has named its address. Of those that were connected
-- before, the audit log says who did it; where it does not, only an operator could name a host that lies there, but for names under
-- localhost, which the look-up of names did not know.
alter table sources add column by_operator boolean not null default false;

update sources s set by_operator = coalesce(
  (
    select m.is_operator from audit_entries a
    join members m on m.person_id::text = a.by_id
    where a.project_id = s.project_id and a.target = s.id
      and (a.operation = 'connectSource' or a.operation = 'changeSource')
      and a.detail -> 'after' ->> 'url' = s.url and a.detail -> 'before' ->> 'url' is distinct from s.url
    order by a.id desc limit 1
  ),
  s.url !~* '^[a-z]+://([^/@]*@)?[^/:]*localhost\.*(:|/|$)' and s.url !~* '^[^/@]+@[^/:]*localhost\.*:'
);
