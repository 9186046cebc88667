-- What the schema files cannot declare: documents and words of the listings that are there, made anew, and nobody's share of words.
insert into private.hub_documents (asset_id, popularity, title_key, document)
select d.asset_id, d.popularity, d.title_key, d.document
from public.hub_assets a
cross join lateral private.make_document(a) d
where a.is_visible
on conflict (asset_id) do update
set popularity = excluded.popularity, title_key = excluded.title_key, document = excluded.document;

delete from private.hub_words;
insert into private.hub_words (word, slips)
select w.word, private.slips(w.word)
from (
  select distinct l.lexeme as word
  from private.hub_documents d
  cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
  where l.lexeme ~ '^[^=~].{2}'
) w;
