-- TRUNCATE fires no row trigger: every admin would lose the office without a word in the audit log.
create trigger hub_admins_keep_all
before truncate on public.hub_admins
for each statement execute function private.refuse_change();
