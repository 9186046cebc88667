-- Enabling a key, or moving it to another priority, sets the count as well.
comment on column public.user_api_keys.usage_count is 'Orders the keys of a priority. Hand-outs, counted from the least of its peers when it was added, enabled or moved; the usage log is the exact count.';
