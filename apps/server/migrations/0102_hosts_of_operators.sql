-- A mail server or a model may lie on the server's machine or in its network only where an operator has named it. Of those that were named
-- before, the audit log says who did it; where it does not, it was a command on the server's machine.
alter table settings add column by_operator boolean not null default true;

update settings s set by_operator = coalesce(
  (
    select m.is_operator from audit_entries a
    join members m on m.person_id::text = a.by_id
    where a.project_id = s.project_id and a.operation in ('changePeopleSettings', 'prepareEmailSender')
      and jsonb_typeof(a.detail -> 'after') = 'array' and a.detail -> 'after' ? s.key
    order by a.id desc limit 1
  ),
  true
)
where s.key in ('agent.modelUrl', 'email.smtpUrl');
