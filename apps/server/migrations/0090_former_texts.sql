-- What a variant said in an epoch, kept with the first epoch that had it, so that people can read a former text beside what it did. Null where
-- an earlier epoch of the variant has the same content, and for texts that were edited before they were kept.
alter table allocations add column content jsonb;

update allocations a set content = v.content
from variants v
where v.id = a.variant_id
  and a.content_digest = encode(sha256(convert_to(v.content::text, 'UTF8')), 'hex')
  and not exists (
    select from allocations e
    where e.campaign_id = a.campaign_id and e.variant_id = a.variant_id and e.content_digest = a.content_digest
      and e.epoch < a.epoch
  );
