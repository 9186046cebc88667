-- One row for each visible listing, and none for anything else: what search reads. Filters stand among the words (=tag:legal),
-- so that words and filters together are one look into one index.
create table private.hub_documents (
  asset_id uuid not null,
  popularity smallint not null,
  title_key text not null,
  document tsvector not null,
  constraint hub_documents_pkey primary key (asset_id),
  constraint hub_documents_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_documents is 'What search finds a visible listing by. Kept by trigger.';
comment on column private.hub_documents.popularity is 'The power of two of its stars and installs: it moves seldom, and so does the row.';
comment on column private.hub_documents.title_key is 'The title, folded: what is exactly this is found first.';
comment on column private.hub_documents.document is 'Words of title (A), tags (B) and description (C); =type:, =license:, =creator: and =tag: for filters.';
alter table private.hub_documents enable row level security;
revoke all on table private.hub_documents from public, anon, authenticated, service_role;
grant select on table private.hub_documents to service_role;

-- Without a list of pending entries: every search would read all of it, and whoever fills it waits until it is empty.
create index hub_documents_document_idx on private.hub_documents using gin (document) with (fastupdate = off);
-- Of an eighth of all listings: words that are hardly ever together fill a page from it.
create index hub_documents_popular_idx on private.hub_documents using gin (document) with (fastupdate = off) where popularity >= 4;
create index hub_documents_popularity_idx on private.hub_documents (popularity desc, asset_id desc);
create index hub_documents_title_key_idx on private.hub_documents (title_key, popularity desc, asset_id desc);

create policy hub_documents_service_select on private.hub_documents for select to service_role using (true);

-- Words that titles, tags and descriptions were written with, and what is left of each when letters are taken out: two words
-- that differ by a slip have one of these in common. No unique index: nobody who publishes waits for anybody, and a word that
-- is here twice is harmless.
create table private.hub_words (
  word text collate pg_catalog."C" not null,
  slips text[] not null
);
comment on table private.hub_words is 'The words of listings, to find what somebody meant who mistyped. Words are added and never taken away.';
alter table private.hub_words enable row level security;
revoke all on table private.hub_words from public, anon, authenticated, service_role;
grant select on table private.hub_words to service_role;

create index hub_words_word_idx on private.hub_words (word);
create index hub_words_slips_idx on private.hub_words using gin (slips) with (fastupdate = off);

create policy hub_words_service_select on private.hub_words for select to service_role using (true);

-- Every lexeme of a document, filters left out. The index reads a list of listings only as far as it needs to, but all lists of a
-- beginning to their end: so a beginning that few lexemes have is asked for by their names. One that is here twice is harmless.
create table private.hub_lexemes (
  lexeme text collate pg_catalog."C" not null
);
comment on table private.hub_lexemes is 'The lexemes of all documents, to find which ones begin in some way. Lexemes are added and never taken away.';
alter table private.hub_lexemes enable row level security;
revoke all on table private.hub_lexemes from public, anon, authenticated, service_role;
grant select on table private.hub_lexemes to service_role;

create index hub_lexemes_lexeme_idx on private.hub_lexemes (lexeme);

create policy hub_lexemes_service_select on private.hub_lexemes for select to service_role using (true);

create function private.slips(word text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  beginning constant text := left(slips.word, 7);
  rest text;
  found text[] := array[beginning];
begin
  -- One letter taken out, of words of eight and more two; the first seven letters tell enough.
  for i in 1..char_length(beginning) loop
    rest := overlay(beginning placing '' from i for 1);
    found := found || rest;
    if char_length(slips.word) >= 8 then
      for j in i..char_length(rest) loop
        found := found || overlay(rest placing '' from j for 1);
      end loop;
    end if;
  end loop;
  return array(select distinct unnest(found));
end;
$$;
comment on function private.slips is 'What is left of the beginning of a word when one letter is taken out, or two of a long word.';
revoke execute on function private.slips from public, anon, authenticated, service_role;

create function private.popularity(star_count integer, install_count integer)
returns smallint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return floor(ln(1 + popularity.star_count + 2 * popularity.install_count::float8) / ln(2::float8) + 1e-9);
end;
$$;
comment on function private.popularity is 'The power of two of stars and installs, of which an install counts twice.';
revoke execute on function private.popularity from public, anon, authenticated, service_role;

create function private.document(asset public.hub_assets)
returns tsvector
language plpgsql
immutable
set search_path = ''
as $$
declare
  filters text := '''=type:' || (document.asset).asset_type || ''' ''=license:' || (document.asset).license || '''';
begin
  if (document.asset).creator_id is not null then
    filters := filters || ' ''=creator:' || (document.asset).creator_id || '''';
  end if;
  -- No tag holds a quote, a backslash or a blank.
  for i in 1..cardinality((document.asset).tags) loop
    filters := filters || ' ''=tag:' || (document.asset).tags[i] || '''';
  end loop;
  return (
    private.lexemes((document.asset).title, 'A', 8)
    || ' ' || private.lexemes(array_to_string((document.asset).tags, ' '), 'B', 8)
    || ' ' || coalesce(private.lexemes((document.asset).description, 'C', 11), '')
    || ' ' || filters
  )::tsvector;
end;
$$;
comment on function private.document is 'The words and filters by which a listing is found.';
revoke execute on function private.document from public, anon, authenticated, service_role;

create function private.make_document(asset public.hub_assets)
returns private.hub_documents
language sql
stable
set search_path = ''
as $$
  select
    (make_document.asset).id,
    private.popularity((make_document.asset).star_count, (make_document.asset).install_count),
    private.title_key((make_document.asset).title),
    private.document(make_document.asset);
$$;
comment on function private.make_document is 'The row by which a listing is found.';
revoke execute on function private.make_document from public, anon, authenticated, service_role;

create function private.index_asset(asset public.hub_assets)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- guard: search: what is not visible has no document
  -- without: if false then
  if not (index_asset.asset).is_visible then
  -- end
    delete from private.hub_documents d where d.asset_id = (index_asset.asset).id;
    return;
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  select d.asset_id, d.popularity, d.title_key, d.document
  from private.make_document(index_asset.asset) d
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
end;
$$;
comment on function private.index_asset is 'Brings the document of a listing in step with it.';
revoke execute on function private.index_asset from public, anon, authenticated, service_role;

create function private.add_words(asset public.hub_assets)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into private.hub_words (word, slips)
  select w.word, private.slips(w.word)
  from (
    select distinct p.word
    from unnest(private.plain_words(
      concat_ws(' ', (add_words.asset).title, array_to_string((add_words.asset).tags, ' '), (add_words.asset).description)
    )) p (word)
    where char_length(p.word) between 4 and 40 and p.word !~ '[0-9]'
  ) w
  where not exists (select from private.hub_words k where k.word = w.word collate pg_catalog."C");

  insert into private.hub_lexemes (lexeme)
  select l.lexeme
  from private.hub_documents d
  cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
  where d.asset_id = (add_words.asset).id
    and l.lexeme not like '=%'
    and not exists (select from private.hub_lexemes k where k.lexeme = l.lexeme collate pg_catalog."C");
$$;
comment on function private.add_words is 'Adds the words and lexemes of a listing that were not known yet.';
revoke execute on function private.add_words from public, anon, authenticated, service_role;

create function private.hub_assets_index()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  words_changed constant boolean := tg_op = 'INSERT' or not old.is_visible
    or (new.title, new.description, new.tags) is distinct from (old.title, old.description, old.tags);
begin
  if tg_op = 'UPDATE' and not words_changed and new.is_visible
    and (new.creator_id, new.license) is not distinct from (old.creator_id, old.license)
    and private.popularity(new.star_count, new.install_count) = private.popularity(old.star_count, old.install_count)
  then
    return null;
  end if;
  perform private.index_asset(new);
  if words_changed and new.is_visible then
    perform private.add_words(new);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_index is 'Search sees a listing from the moment it is visible, as it is, and no longer.';
revoke execute on function private.hub_assets_index from public, anon, authenticated, service_role;

create trigger hub_assets_82_index_insert
after insert on public.hub_assets
for each row when (new.is_visible) execute function private.hub_assets_index();
-- Of all columns: is_visible is generated, and a list of columns would miss it.
create trigger hub_assets_83_index_update
after update on public.hub_assets
for each row when (old.is_visible or new.is_visible) execute function private.hub_assets_index();
