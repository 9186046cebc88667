-- What the schema files cannot declare: documents and words of the listings that are there, made anew, and nobody's share of words.
-- Without indexes, which are made afterwards: row by row they take several times as long.
truncate private.hub_documents, private.hub_words;
drop index private.hub_documents_document_idx, private.hub_documents_popular_idx, private.hub_words_slips_idx;

insert into private.hub_documents (asset_id, popularity, title_key, document)
select d.asset_id, d.popularity, d.title_key, d.document
from public.hub_assets a
cross join lateral private.make_document(a) d
where a.is_visible;

insert into private.hub_words (word, slips)
select w.word, private.slips(w.word)
from (
  select distinct l.lexeme as word
  from private.hub_documents d
  cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
  where l.lexeme ~ '^[^=~].{2}'
) w;

create index hub_documents_document_idx on private.hub_documents using gin (document) with (fastupdate = off);
create index hub_documents_popular_idx on private.hub_documents using gin (document) with (fastupdate = off) where popularity >= 4;
create index hub_words_slips_idx on private.hub_words using gin (slips) with (fastupdate = off);
analyze private.hub_documents, private.hub_words;
