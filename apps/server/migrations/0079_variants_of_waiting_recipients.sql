-- Whoever waits for a device has no variant yet: it is drawn when a device is chosen, by the weights of that moment.
alter table push_recipients alter column variant_id drop not null;

-- A variant was once drawn when its user began to wait, and kept. The delivery came later and names the epoch of that moment, whose weights
-- are others. Nobody knows any more which weights such deliveries go by.
update deliveries d set epoch = 0
from push_recipients r
join (select distinct campaign_id, epoch, started_at from allocations) e on e.campaign_id = r.campaign_id
where r.state = 'active' and r.send_id = r.campaign_id and r.created_at < e.started_at
  and d.lane = r.lane and d.user_key = r.user_key and d.campaign_id = r.campaign_id and d.epoch = e.epoch;

update push_recipients set variant_id = null where state <> 'active';
