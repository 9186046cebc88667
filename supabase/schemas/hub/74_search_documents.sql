-- Splits texts into words, and stores the documents of words that search reads.

-- private.fold and private.words split a text into words, in any script, with the same rules for listings and for queries. They use
-- no dictionary of a language, so that the result is the same on every Postgres.
create function private.fold(value text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  -- Wide letters become ordinary ones; case, accents and vowel marks of Arabic are dropped. The text is composed again, so that
  -- Hangul and the marks of Japanese stay whole. Like ä, ö and ü, the spellings ae, oe and ue become a, o and u, except before a
  -- vowel. The exception does no harm to a search for the beginning of a word: the folded beginning still begins the folded word.
  return regexp_replace(replace(replace(replace(translate(
    normalize(
      regexp_replace(
        normalize(lower(normalize(fold.value, nfkc) collate pg_catalog.pg_c_utf8), nfd),
        '[\u0300-\u036f\u0640\u064b-\u065f\u200b-\u200f\u00ad\ufe00-\ufe0f]', '', 'g'
      ),
      nfc
    ),
    'øđłıðħŧ’‘ʼ', 'odlidht'''''''
  ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '([aou])e(?![aeiou])', '\1', 'g');
end;
$$;
comment on function private.fold is 'Returns a text in lower case, without accents and full-width forms, so that different spellings of a word are equal after it.';
revoke execute on function private.fold from public, anon, authenticated, service_role;
-- The index of display names calls this function with the role of the writer, so the writer's role needs the right to execute it.
grant execute on function private.fold to authenticated, service_role;

create function private.words(value text)
returns table (whole text, parts text[], is_run boolean)
language plpgsql
immutable
set search_path = ''
as $$
declare
  -- Characters of scripts without spaces, and of Hangul, where particles directly follow a word.
  run constant text := '\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\u2fff\u3005-\u3007\u3021-\u30fa\u30fc-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff';
  folded text := private.fold(regexp_replace(words.value, '([a-z])([A-Z])', '\1-\2', 'g'));
  word text;
begin
  -- c++ becomes cpp, c# becomes csharp, .net becomes dotnet. camelCase and gpt-4o are split into their parts and also kept whole.
  folded := regexp_replace(regexp_replace(regexp_replace(folded, '([a-z])\+\+', '\1pp', 'g'), '([a-z])#', '\1sharp', 'g'), '(^|[\s(,/])\.(?=[a-z])', '\1dot', 'g');
  for word in
    select m.found[1]
    from regexp_matches(
      folded collate pg_catalog.pg_c_utf8,
      format('[%1$s]+|[\u2190-\u2bff\U0001f000-\U0001faff]|[^\s[:punct:]%1$s]+(?:[-._''][^\s[:punct:]%1$s]+)*', run), 'g'
    ) m (found)
  loop
    is_run := word ~ format('^[%s]', run);
    whole := left(regexp_replace(word, '[-._'']', '', 'g'), 100);
    if is_run then
      parts := array(select substr(word, i, 2) from generate_series(1, greatest(1, char_length(word) - 1)) i);
    else
      parts := regexp_split_to_array(left(word, 100), '[-._'']');
    end if;
    return next;
  end loop;
end;
$$;
comment on function private.words is 'Returns the words of a text, each whole and in parts (pairs of characters for scripts without spaces).';
revoke execute on function private.words from public, anon, authenticated, service_role;

create function private.title_key(title text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (select coalesce(string_agg(w.whole, ' '), '') from private.words(title_key.title) w);
end;
$$;
comment on function private.title_key is 'Returns the folded words of a title: titles that differ only in case, accents or signs have the same key.';
revoke execute on function private.title_key from public, anon, authenticated, service_role;

create function private.lexemes(value text, weight text, behind integer, endings_from integer)
returns text
language plpgsql
immutable
set search_path = ''
as $$
declare
  w record;
  place text;
  part text;
  entries text := '';
begin
  for w in select * from private.words(lexemes.value) with ordinality x (whole, parts, is_run, n) loop
    place := ''':' || least(w.n + lexemes.behind, 16383) || lexemes.weight || ' ''';
    entries := entries || array_to_string(w.parts, place) || place || case when w.is_run then right(w.whole, 1) else w.whole end || place;
    continue when w.is_run;
    -- Stores the endings of a compound word, so that a search for its second part finds it.
    foreach part in array w.parts loop
      continue when char_length(part) not between lexemes.endings_from and 40 or part ~ '[0-9]';
      for i in 4..char_length(part) - 3 loop
        entries := entries || '~' || substr(part, i) || place;
      end loop;
    end loop;
  end loop;
  return case when entries <> '' then '''' || left(entries, -1) end;
end;
$$;
comment on function private.lexemes is 'Returns the search terms of a text, as the text of a tsvector: words, pairs of characters, and, after ~, the endings of words that have at least endings_from letters.';
revoke execute on function private.lexemes from public, anon, authenticated, service_role;

-- The data that search reads: one document for each visible listing, its rows in the lists of tags, and the words of all documents.
-- Filters are stored among the words (=tag:legal), so that one scan of one index answers words and filters together.
create table private.hub_documents (
  asset_id uuid not null,
  popularity smallint not null,
  title_key text not null,
  document tsvector not null,
  constraint hub_documents_pkey primary key (asset_id),
  constraint hub_documents_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_documents is 'Search documents of visible listings. Maintained by a trigger.';
comment on column private.hub_documents.popularity is 'The logarithm of the listing''s stars and installs, rounded down (private.popularity). It changes less often than the counters, so the row is seldom written.';
comment on column private.hub_documents.title_key is 'The folded title: a listing whose folded title equals the folded query comes first in the results.';
comment on column private.hub_documents.document is 'Words of title (A), tags (B) and description (C); endings of words (after ~); =type:, =license:, =creator: and =tag: for filters.';
alter table private.hub_documents enable row level security;
revoke all on table private.hub_documents from public, anon, authenticated, service_role;
grant select on table private.hub_documents to service_role;

-- The index has no pending list of new entries, because every search would read all of that list, and the writer whose entry fills
-- the list would wait until the list is emptied.
create index hub_documents_document_idx on private.hub_documents using gin (document) with (fastupdate = off);
-- Covers only listings with a popularity of at least 4, such as 15 stars or 8 installs: about an eighth of the listings of a large
-- hub. A search often fills a page from this smaller index.
create index hub_documents_popular_idx on private.hub_documents using gin (document) with (fastupdate = off) where popularity >= 4;
create index hub_documents_popularity_idx on private.hub_documents (popularity desc, asset_id desc);
create index hub_documents_title_key_idx on private.hub_documents (title_key, popularity desc, asset_id desc);

create policy hub_documents_service_select on private.hub_documents for select to service_role using (true);

-- No unique index covers the words, so that no publication waits for another; a word that is stored twice does no harm.
create table private.hub_words (
  word text collate pg_catalog."C" not null,
  slips text[] not null,
  added_by uuid,
  constraint hub_words_added_by_fkey foreign key (added_by) references auth.users (id) on delete set null
);
comment on table private.hub_words is 'The words of all documents, for completing the beginning of a word and for correcting a misspelling. hub_prune deletes words that no document holds.';
comment on column private.hub_words.slips is 'Forms of the word with letters left out (private.slips): two words that differ by a typing error have one of these forms in common. A form that 64 words already have is not stored for another word.';
comment on column private.hub_words.added_by is 'The creator whose listing first had the word; an account adds at most 5,000 words.';
alter table private.hub_words enable row level security;
revoke all on table private.hub_words from public, anon, authenticated, service_role;
grant select on table private.hub_words to service_role;

create index hub_words_word_idx on private.hub_words (word);
create index hub_words_slips_idx on private.hub_words using gin (slips) with (fastupdate = off);
create index hub_words_added_by_idx on private.hub_words (added_by);

create policy hub_words_service_select on private.hub_words for select to service_role using (true);

create function private.tag_bits(tags text[])
returns bigint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return (select coalesce(bit_or(1::bigint << (get_byte(decode(md5(t.tag), 'hex'), 0) % 64)), 0) from unnest(tag_bits.tags) t (tag));
end;
$$;
comment on function private.tag_bits is 'Returns a number in which each tag sets one of 64 bits. A listing with all of the given tags has all of their bits; a listing with all of the bits may still lack a tag.';
revoke execute on function private.tag_bits from public, anon, authenticated, service_role;

-- One row for each tag of each visible listing. A page of listings with a tag, in any order, is then a short part of one index.
create table private.hub_listing_tags (
  asset_id uuid not null,
  tag text collate pg_catalog."C" not null,
  published_at timestamptz not null,
  content_updated_at timestamptz,
  install_count integer not null,
  star_count integer not null,
  tag_bits bigint not null,
  constraint hub_listing_tags_pkey primary key (asset_id, tag),
  constraint hub_listing_tags_asset_id_fkey foreign key (asset_id) references public.hub_assets (id) on delete cascade
);
comment on table private.hub_listing_tags is 'The tags of visible listings, with the columns of each sort. Maintained by a trigger.';
alter table private.hub_listing_tags enable row level security;
revoke all on table private.hub_listing_tags from public, anon, authenticated, service_role;
grant select on table private.hub_listing_tags to service_role;
comment on column private.hub_listing_tags.tag_bits is 'private.tag_bits of all tags of the listing: when a query has several tags, the index alone rules out most listings that lack one of them.';

create index hub_listing_tags_newest_idx on private.hub_listing_tags (tag, published_at desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_recently_updated_idx on private.hub_listing_tags (tag, content_updated_at desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_most_installed_idx on private.hub_listing_tags (tag, install_count desc, asset_id desc) include (tag_bits);
create index hub_listing_tags_most_starred_idx on private.hub_listing_tags (tag, star_count desc, asset_id desc) include (tag_bits);

create policy hub_listing_tags_service_select on private.hub_listing_tags for select to service_role using (true);

create function private.popularity(asset public.hub_assets)
returns smallint
language plpgsql
immutable
set search_path = ''
as $$
begin
  return floor(ln(1 + (popularity.asset).star_count + 2 * (popularity.asset).install_count::float8) / ln(2::float8) + 1e-9);
end;
$$;
comment on function private.popularity is 'Returns the logarithm (base 2, rounded down) of 1 + stars + installs, where an install counts twice.';
revoke execute on function private.popularity from public, anon, authenticated, service_role;

-- Makes the search document of a listing. In the document, the title begins at position 1, the tags at 501 and the description at
-- 1001, so that ts_rank does not treat words of different fields as neighbours.
create function private.make_document(asset public.hub_assets)
returns private.hub_documents
language plpgsql
stable
set search_path = ''
as $$
begin
  return row(
    (make_document.asset).id,
    private.popularity(make_document.asset),
    private.title_key((make_document.asset).title),
    concat_ws(' ',
      private.lexemes((make_document.asset).title, 'A', 0, 8),
      private.lexemes(array_to_string((make_document.asset).tags, ' '), 'B', 500, 8),
      private.lexemes((make_document.asset).description, 'C', 1000, 11),
      '''=type:' || (make_document.asset).asset_type || ''' ''=license:' || (make_document.asset).license || '''',
      '''=creator:' || (make_document.asset).creator_id || '''',
      '''=tag:' || nullif(array_to_string((make_document.asset).tags, ''' ''=tag:'), '') || ''''
    )::tsvector
  );
end;
$$;
comment on function private.make_document is 'Returns the search document of a listing. No word and no tag holds a quote, a backslash or a blank, so the text needs no escaping.';
revoke execute on function private.make_document from public, anon, authenticated, service_role;

create function private.slips(word text)
returns text[]
language plpgsql
immutable
set search_path = ''
as $$
declare
  head constant text := left(slips.word, 7);
  ends constant integer := char_length(head) + 1;
begin
  if slips.word !~ '^[^0-9]{4,40}$' then
    return '{}';
  end if;
  -- Each form is the first seven letters of the word with at most one of them left out, or at most two for a word of eight or more
  -- letters. i and j are the positions that are left out; at the position after the last letter, nothing is left out.
  return array(
    select distinct overlay(overlay(head placing '' from j for 1) placing '' from i for 1)
    from generate_series(1, ends) i
    cross join generate_series(case when char_length(slips.word) >= 8 then 1 else ends end, ends) j
    where i < j or i = ends
  );
end;
$$;
comment on function private.slips is 'Returns the first seven letters of a word with at most one letter left out, or at most two for a word of eight or more letters; nothing for a word with digits, with fewer than 4 or with more than 40 letters.';
revoke execute on function private.slips from public, anon, authenticated, service_role;

create function private.index_asset(asset public.hub_assets)
returns void
language plpgsql
volatile
set search_path = ''
set enable_seqscan = off set jit = off
as $$
declare
  most constant integer := 5000;
  made private.hub_documents := private.make_document(index_asset.asset);
  -- Leaves out terms of one or two characters, such as the pairs of scripts without spaces, because a query uses such terms as they
  -- are.
  unknown constant text[] := array(
    select l.lexeme
    from unnest(tsvector_to_array(made.document)) l (lexeme)
    where l.lexeme ~ '^[^=~].{2}' and not exists (select from private.hub_words k where k.word = l.lexeme collate pg_catalog."C")
  );
  room integer := cardinality(unknown);
  new_word text;
begin
  if room > 0 and (index_asset.asset).creator_id is not null then
    room := most - (select count(*) from (select from private.hub_words k where k.added_by = (index_asset.asset).creator_id limit most) k);
  end if;
  foreach new_word in array unknown[:room] loop
    insert into private.hub_words (word, slips, added_by)
    select new_word, array(
      select s.slip
      from unnest(private.slips(new_word)) s (slip)
      -- A form that many words share distinguishes nothing, and every misspelled query would have to read these words.
      where (select count(*) from (select from private.hub_words k where k.slips @> array[s.slip] limit 64) k) < 64
    ), (index_asset.asset).creator_id;
  end loop;
  if cardinality(unknown) > room then
    -- A GIN index never removes a word. A word that no other listing has and that this account may not add is therefore deleted
    -- from the document, and with it all endings of words.
    made.document := ts_delete(made.document, unknown[room + 1:] || array(select l.lexeme from unnest(made.document) l where l.lexeme like '~%'));
  end if;
  insert into private.hub_documents (asset_id, popularity, title_key, document)
  values (made.asset_id, made.popularity, made.title_key, made.document)
  on conflict (asset_id) do update
  set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;
  delete from private.hub_listing_tags t where t.asset_id = made.asset_id;
  insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
  select distinct made.asset_id, t.tag, (index_asset.asset).published_at, (index_asset.asset).content_updated_at,
    (index_asset.asset).install_count, (index_asset.asset).star_count, private.tag_bits((index_asset.asset).tags)
  from unnest((index_asset.asset).tags) t (tag);
end;
$$;
comment on function private.index_asset is 'Writes the search document and the tags of a visible listing. Adds its words that no listing has yet, until its creator has added as many as a creator may.';
revoke execute on function private.index_asset from public, anon, authenticated, service_role;

create function private.hub_assets_index()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if not new.is_visible then
    delete from private.hub_documents d where d.asset_id = new.id;
    delete from private.hub_listing_tags t where t.asset_id = new.id;
  elsif tg_op = 'UPDATE' and old.is_visible and (new.title, new.description, new.tags, new.creator_id, new.license)
    is not distinct from (old.title, old.description, old.tags, old.creator_id, old.license)
  then
    update private.hub_documents d set popularity = private.popularity(new)
    where d.asset_id = new.id and d.popularity <> private.popularity(new);
    update private.hub_listing_tags t
    set published_at = new.published_at, content_updated_at = new.content_updated_at, install_count = new.install_count, star_count = new.star_count
    where t.asset_id = new.id and (t.published_at, t.content_updated_at, t.install_count, t.star_count)
      is distinct from (new.published_at, new.content_updated_at, new.install_count, new.star_count);
  else
    perform private.index_asset(new);
  end if;
  return null;
end;
$$;
comment on function private.hub_assets_index is 'Keeps the search document of a listing current while the listing is visible, and deletes it afterwards.';
revoke execute on function private.hub_assets_index from public, anon, authenticated, service_role;

create trigger hub_assets_82_index_insert
after insert on public.hub_assets
for each row when (new.is_visible) execute function private.hub_assets_index();
-- Fires on updates of all columns: is_visible is generated, and a list of columns would miss it.
create trigger hub_assets_83_index_update
after update on public.hub_assets
for each row when (old.is_visible or new.is_visible) execute function private.hub_assets_index();
