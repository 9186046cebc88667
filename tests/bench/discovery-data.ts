import type postgres from "postgres";

/**
 * A hub of so many assets: words, tags and creators by Zipf's law, six languages, stars and installs with long tails, one in
 * twenty private, one in a hundred hidden. Made by the database from numbers, so that two runs make the same.
 *
 * `assistant` stands in 60 % of them, as generic words do.
 */
export async function fillHub(
  workers: postgres.Sql[],
  assets: number,
  onProgress: (done: number) => void,
): Promise<void> {
  const [sql] = workers;
  if (sql === undefined) throw new Error("no worker");
  const creators = Math.max(20, Math.round(assets / 20));
  await sql`
    insert into auth.users (id, created_at)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, now() - interval '1 year'
    from generate_series(1, ${creators}::int) i`;
  await sql.unsafe(helpers);
  const BATCH = 2000;
  let next = 0;
  let done = 0;
  await Promise.all(
    workers.map(async (worker) => {
      for (;;) {
        const from = next;
        next += BATCH;
        if (from >= assets) return;
        const to = Math.min(assets, from + BATCH);
        await worker.begin(async (tx) => {
          // Triggers of counters, locks and the audit log would be most of the time. What search reads is made as they do.
          await tx`set local session_replication_role = replica`;
          await tx`set local synchronous_commit = off`;
          await tx`
            insert into hub_assets (id, asset_type, ref_id, creator_id, slug, title, description, tags, license, is_public,
              current_version, published_at, content_updated_at, is_hidden, hidden_at, hidden_reason, star_count, install_count)
            select * from bench.assets(${from}, ${to}, ${creators})`;
          await tx`
            select private.index_asset(a) from hub_assets a
            where a.id in (select bench.asset_id(i) from generate_series(${from}::int, ${to - 1}::int) i) and a.is_visible`;
        });
        done += to - from;
        onProgress(done);
      }
    }),
  );
  await sql`
    insert into private.hub_words (word, slips)
    select w.word, private.slips(w.word)
    from (select distinct p.word from generate_series(1, 20000) i cross join lateral unnest(private.plain_words(bench.word(i))) p (word)
      where char_length(p.word) between 4 and 40 and p.word !~ '[0-9]') w`;
  await sql`vacuum analyze`;
}

/** Numbers to texts. A word of rank r is as frequent as 1/r; the first ranks are real words, the others eight letters. */
const helpers = `
  create schema bench;
  create function bench.asset_id(i integer) returns uuid language sql immutable as $$
    select md5('asset ' || i)::uuid
  $$;
  create function bench.part(i integer, what text) returns float8 language sql immutable as $$
    select (('x' || left(md5(what || i), 8))::bit(32)::bigint) / 4294967296.0
  $$;
  create function bench.rank(u float8, most integer) returns integer language sql immutable as $$
    select least(most, floor(exp(u * ln(most + 1))))::integer
  $$;
  create function bench.word(rank integer) returns text language sql immutable as $$
    select case when rank <= 60 then (
      '{writer,helper,review,summary,email,report,code,data,table,meeting,notes,invoice,planner,chart,agent,search,translator,customer,support,product,blog,post,lesson,plan,quiz,contract,draft,pipeline,extractor,classifier,Rechnung,Übersetzung,Prüfung,Zusammenfassung,Entwurf,resumen,factura,traducción,plantilla,correo,résumé,facture,traduction,modèle,courriel,翻訳,要約,議事録,コード,生成,번역,요약,회의,작성,코드,แปลภาษา,สรุป,ประชุม,เขียน,อีเมล}'::text[])[rank]
    else translate(left(md5('word ' || rank), 8), '0123456789', 'ghijklmnop') end
  $$;
  create function bench.tag(rank integer) returns text language sql immutable as $$
    select case when rank <= 24 then (
      '{education,marketing,data-extraction,summarization,code-generation,content-creation,qa,translation,classification,healthcare,legal,ecommerce,research,1to1,1ton,batch,gpt-5,gpt-4o,claude-sonnet-4-5,gemini-2.5-pro,gemini-2.5-flash,llama-4,mistral-large,gpt-5-mini}'::text[])[rank]
    else 'topic-' || rank end
  $$;
  create function bench.assets(i_from integer, i_to integer, creators integer)
  returns table (id uuid, asset_type text, ref_id uuid, creator_id uuid, slug text, title text, description text, tags text[], license text,
    is_public boolean, current_version integer, published_at timestamptz, content_updated_at timestamptz, is_hidden boolean,
    hidden_at timestamptz, hidden_reason text, star_count integer, install_count integer)
  language sql as $$
    select bench.asset_id(i), ('{template,template,template,component,component,orchestration,ai_preset}'::text[])[1 + floor(7 * bench.part(i, 'type'))::int],
      md5('ref ' || i)::uuid,
      ('00000000-0000-4000-8000-' || lpad(to_hex(bench.rank(bench.part(i, 'creator'), creators)), 12, '0'))::uuid,
      'asset-' || i,
      initcap(bench.word(bench.rank(bench.part(i, 't1'), 20000))) || ' ' || bench.word(bench.rank(bench.part(i, 't2'), 20000))
        || case when bench.part(i, 't3') < .5 then ' ' || bench.word(bench.rank(bench.part(i, 't4'), 20000)) else '' end,
      (select string_agg(bench.word(bench.rank(bench.part(i, 'd' || n), 20000)), ' ') from generate_series(1, 8 + floor(12 * bench.part(i, 'length'))::int) n)
        || case when bench.part(i, 'common') < .6 then ' assistant' else '' end,
      array(select distinct bench.tag(bench.rank(bench.part(i, 'tag' || n), 3000)) from generate_series(1, 1 + floor(4 * bench.part(i, 'tags'))::int) n),
      ('{platform-free,platform-free,cc0,cc-by}'::text[])[1 + floor(4 * bench.part(i, 'license'))::int],
      bench.part(i, 'private') >= .05, 1, at, at + (now() - at) * bench.part(i, 'updated'),
      bench.part(i, 'hidden') < .01, case when bench.part(i, 'hidden') < .01 then now() end, case when bench.part(i, 'hidden') < .01 then 'moderator' end,
      floor(power(1 - bench.part(i, 'stars'), -0.9) - 1)::int, floor(power(1 - bench.part(i, 'installs'), -0.9) - 1)::int
    from generate_series(i_from, i_to - 1) i
    cross join lateral (select now() - interval '2 years' * bench.part(i, 'age') as at) p
  $$;
`;
