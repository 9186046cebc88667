-- A believable hub for a fresh stack: 40 listings of 8 creators in several languages, with stars, installs, remixes three
-- deep, featured rows and one that five reports have hidden. Both `npm start` and `supabase start` run this file; twice is
-- harmless. Everything is published as the server publishes it, and triggers count what is counted. Nobody can sign in as
-- these users: they have no password.
--
-- sha256 is that of the payload's RFC 8785 form; tests/db/hub/seed.test.ts checks it.
do $seed$
declare
  listings constant jsonb := $json$[
    {"creator": 1, "type": "template", "slug": "clear-meeting-minutes", "title": "Clear meeting minutes", "description": "Turns a raw transcript into decisions, owners and dates. For teams that meet more than they write.", "tags": ["summarization", "qa", "1to1"], "license": "cc-by", "days": 62, "stars": 41, "installs": 38, "sha256": "1a81ab17454c92ee993cbf5fee217ef170c5e848ca0a63c044c269b6a010bf6f", "payload": {"name": "Clear meeting minutes", "content": "Summarise this meeting transcript. List decisions, open questions and action items with an owner and a date each.\n\n{{transcript}}", "variables": [{"name": "transcript"}]}},
    {"creator": 2, "type": "template", "slug": "clear-meeting-minutes-for-standups", "title": "Clear meeting minutes for stand-ups", "description": "A shorter form of the minutes: yesterday, today, blockers, for each person.", "tags": ["summarization", "1ton"], "license": "cc-by", "days": 48, "stars": 19, "installs": 14, "sha256": "2e2f3d1f561246cb32f00c47bcafd1d0244ae5436e58e2a7ebcbc7ee7891ac03", "payload": {"name": "Clear meeting minutes for stand-ups", "content": "From this stand-up transcript write, for each person, what was done, what is next and what blocks them.\n\n{{transcript}}", "variables": [{"name": "transcript"}]}, "remix_of": "clear-meeting-minutes"},
    {"creator": 4, "type": "template", "slug": "protokoll-fuer-dailies", "title": "Protokoll für Dailies", "description": "Stand-up-Protokoll auf Deutsch, mit Blockern zuerst. Für verteilte Teams.", "tags": ["summarization", "translation", "1ton"], "license": "cc-by", "days": 30, "stars": 12, "installs": 9, "sha256": "10d501fc2eba924716ed5fef2365aff32dd10b9ed77c51854368a376d148fa7a", "payload": {"name": "Protokoll für Dailies", "content": "Schreibe aus diesem Transkript ein Daily-Protokoll auf Deutsch. Beginne mit den Blockern.\n\n{{transcript}}", "variables": [{"name": "transcript"}]}, "remix_of": "clear-meeting-minutes-for-standups"},
    {"creator": 8, "type": "template", "slug": "gunluk-toplanti-notlari", "title": "Günlük toplantı notları", "description": "Almanca şablonun Türkçesi: önce engeller, sonra yapılanlar.", "tags": ["summarization", "translation"], "license": "cc-by", "days": 11, "stars": 5, "installs": 3, "sha256": "eb289de68af2d91231ba757767a6db2fa09b5c93c44e7742a51d8704c711eccf", "payload": {"name": "Günlük toplantı notları", "content": "Bu dökümden Türkçe bir günlük toplantı notu yaz. Önce engelleri sırala.\n\n{{transcript}}", "variables": [{"name": "transcript"}]}, "remix_of": "protokoll-fuer-dailies"},
    {"creator": 1, "type": "template", "slug": "patient-letter-in-plain-words", "title": "Patient letter in plain words", "description": "Rewrites a clinical letter for the patient it is about, without losing a number.", "tags": ["healthcare", "content-creation", "1to1"], "license": "platform-free", "days": 55, "stars": 33, "installs": 21, "sha256": "efcba60d55e3315c9be3fa7793862c38b5fe0510d6cb04d570a3b2da24e7f338", "payload": {"name": "Patient letter in plain words", "content": "Rewrite this letter for the patient. Keep every dose and date. Explain each medical term once.\n\n{{letter}}", "variables": [{"name": "letter"}]}},
    {"creator": 3, "type": "template", "slug": "keigo-mail-checker", "title": "敬語メールの確認", "description": "取引先へのメールの敬語を確かめ、直した理由を一行で示します。", "tags": ["qa", "content-creation", "translation"], "license": "cc0", "days": 40, "stars": 28, "installs": 17, "sha256": "6225ac9744d2c9fba77908cb58309df41c809ec0e84967c95393e850086133c1", "payload": {"name": "敬語メールの確認", "content": "次のメールの敬語を確認し、直した箇所と理由を示してください。\n\n{{mail}}", "variables": [{"name": "mail"}]}},
    {"creator": 5, "type": "template", "slug": "fiche-produit-soignee", "title": "Fiche produit soignée", "description": "Transforme des notes brutes en une fiche produit claire pour la vente en ligne.", "tags": ["ecommerce", "marketing", "content-creation"], "license": "cc-by", "days": 36, "stars": 17, "installs": 15, "sha256": "92c48edf10b4679d9f4ffd6bf01f070d91ade265af1b7d41c002361f15216289", "payload": {"name": "Fiche produit soignée", "content": "À partir de ces notes, écris une fiche produit de 120 mots : un bénéfice par phrase, aucun superlatif.\n\n{{notes}}", "variables": [{"name": "notes"}]}},
    {"creator": 6, "type": "template", "slug": "resumo-de-contrato", "title": "Resumo de contrato", "description": "Resume um contrato em linguagem simples e aponta prazos, multas e renovações.", "tags": ["legal", "summarization"], "license": "platform-free", "days": 33, "stars": 22, "installs": 19, "sha256": "d9ac50c5e3ea113bbe3fb0fd2a62f882c2d300d8a269744ab5bb5a210a1e88a8", "payload": {"name": "Resumo de contrato", "content": "Resuma o contrato abaixo em português simples. Liste prazos, multas e condições de renovação.\n\n{{contrato}}", "variables": [{"name": "contrato"}]}},
    {"creator": 7, "type": "template", "slug": "thai-lesson-plan", "title": "แผนการสอนหนึ่งคาบ", "description": "สร้างแผนการสอน 50 นาที พร้อมกิจกรรมและคำถามท้ายคาบ", "tags": ["education", "content-creation"], "license": "cc0", "days": 27, "stars": 14, "installs": 8, "sha256": "2af476a307bbf0388b3be6f1bff5fc2ec13209c7949ee402e09021422098ce2b", "payload": {"name": "แผนการสอนหนึ่งคาบ", "content": "เขียนแผนการสอน 50 นาทีในหัวข้อ {{topic}} สำหรับนักเรียนชั้น {{grade}} พร้อมกิจกรรมสองอย่าง", "variables": [{"name": "topic"}, {"name": "grade"}]}},
    {"creator": 2, "type": "template", "slug": "sql-from-a-question", "title": "SQL from a question", "description": "Writes one PostgreSQL query for a question and a schema, and says what it assumed.", "tags": ["code-generation", "data-extraction", "1to1"], "license": "cc0", "days": 70, "stars": 47, "installs": 44, "sha256": "f4eb4bbac84bffce5ba2f064ad465c0f9899cea89db28bcbe6794a136113d616", "payload": {"name": "SQL from a question", "content": "Schema:\n{{schema}}\n\nWrite one PostgreSQL query that answers: {{question}}\nList your assumptions after it.", "variables": [{"name": "schema"}, {"name": "question"}]}},
    {"creator": 4, "type": "template", "slug": "stellenanzeige-ohne-floskeln", "title": "Stellenanzeige ohne Floskeln", "description": "Eine Anzeige, die sagt, was zu tun ist. Streicht Buzzwords und nennt das Gehalt.", "tags": ["content-creation", "marketing"], "license": "cc-by", "days": 19, "stars": 9, "installs": 6, "sha256": "1a178e9adfba42f2d08c0ed02221e4dc4dd292856634675c113525da830727d9", "payload": {"name": "Stellenanzeige ohne Floskeln", "content": "Schreibe eine Stellenanzeige für {{role}}. Keine Floskeln, Aufgaben zuerst, Gehalt: {{salary}}.", "variables": [{"name": "role"}, {"name": "salary"}]}},
    {"creator": 8, "type": "template", "slug": "kaynakcali-ozet", "title": "Kaynakçalı özet", "description": "Bir makaleyi, her cümlenin kaynağını göstererek özetler.", "tags": ["research", "summarization"], "license": "cc-by", "days": 15, "stars": 11, "installs": 7, "sha256": "bcece4cc7aafd15a0b7c89d571708da4588d31fe4ad3441b2a52e7aaf8990fd2", "payload": {"name": "Kaynakçalı özet", "content": "Aşağıdaki makaleyi beş cümlede özetle; her cümlenin sonunda paragraf numarasını ver.\n\n{{article}}", "variables": [{"name": "article"}]}},
    {"creator": 6, "type": "template", "slug": "classificador-de-chamados", "title": "Classificador de chamados", "description": "Classifica chamados de suporte em cinco filas e explica a escolha em uma frase.", "tags": ["classification", "1ton", "batch"], "license": "cc0", "days": 9, "stars": 6, "installs": 5, "sha256": "ba97d8e9f3bbdc5260c84c5d6c77483f29ecacd14080cad361850cf5841e20d6", "payload": {"name": "Classificador de chamados", "content": "Classifique cada chamado em: cobrança, acesso, defeito, dúvida, outro. Responda em JSON.\n\n{{tickets}}", "variables": [{"name": "tickets"}]}},
    {"creator": 3, "type": "template", "slug": "haiku-release-notes", "title": "Release notes as haiku", "description": "Seventeen syllables for each change. For the last slide of the sprint review.", "tags": ["content-creation"], "license": "cc0", "days": 6, "stars": 8, "installs": 2, "sha256": "b671e538128770f19439cf52c220962ff3ccdb5e0b21ddac2cd5e5068a45b3dc", "payload": {"name": "Release notes as haiku", "content": "Write one haiku for each of these changes. No jargon.\n\n{{changes}}", "variables": [{"name": "changes"}]}},
    {"creator": 5, "type": "template", "slug": "miracle-seo-booster", "title": "Miracle SEO booster 10000 %", "description": "Guaranteed first place in every search engine within one hour!!!", "tags": ["marketing"], "license": "platform-free", "days": 4, "stars": 0, "installs": 1, "sha256": "ec33817fa6bfc9e863453daee35629638e7da026d4e96456f0961944033363ec", "payload": {"name": "Miracle SEO booster 10000 %", "content": "Repeat these keywords two hundred times: {{keywords}}", "variables": [{"name": "keywords"}]}, "reports": 5},
    {"creator": 2, "type": "component", "slug": "pipeline-progress-bar", "title": "Pipeline progress bar", "description": "Shows which stage of a run is working, with the time each one took.", "tags": ["qa", "1ton"], "license": "cc-by", "days": 58, "stars": 36, "installs": 31, "sha256": "ee3ef8b57b5b6c6ab548d24d359f483d23ae8f513123b8e4652d9b853ab727d8", "payload": {"name": "Pipeline progress bar", "source": "export default function Progress({ stages, active }) {\n  return <ol>{stages.map((s, i) => <li key={s} aria-current={i === active}>{s}</li>)}</ol>;\n}", "props_schema": {"type": "object", "properties": {"stages": {"type": "array"}, "active": {"type": "integer"}}}}},
    {"creator": 4, "type": "component", "slug": "vergleichstabelle", "title": "Vergleichstabelle", "description": "Zwei Antworten nebeneinander, Unterschiede hervorgehoben.", "tags": ["qa", "research"], "license": "cc-by", "days": 44, "stars": 21, "installs": 16, "sha256": "3b92914999fe04330c8e1a99699c6cfe013a30d8a2a090694778f2fb453331d8", "payload": {"name": "Vergleichstabelle", "source": "export default function Compare({ left, right }) {\n  return <table><tbody><tr><td>{left}</td><td>{right}</td></tr></tbody></table>;\n}", "props_schema": {"type": "object", "properties": {"left": {"type": "string"}, "right": {"type": "string"}}}}},
    {"creator": 1, "type": "component", "slug": "citation-list", "title": "Citation list", "description": "Numbered sources under an answer; each opens at the quoted sentence.", "tags": ["research"], "license": "cc0", "days": 39, "stars": 25, "installs": 23, "sha256": "4be3c3a233af43449b4d0a0deeb1afc8761ff5a1a0d7b24952212eb140bda1aa", "payload": {"name": "Citation list", "source": "export default function Citations({ items }) {\n  return <ol>{items.map((c) => <li key={c.id}><a href={c.href}>{c.title}</a></li>)}</ol>;\n}", "props_schema": {"type": "object", "properties": {"items": {"type": "array"}}}}},
    {"creator": 7, "type": "component", "slug": "thai-date-badge", "title": "ป้ายวันที่ไทย", "description": "แสดงวันที่แบบพุทธศักราช พร้อมชื่อวันเต็ม", "tags": ["content-creation"], "license": "cc0", "days": 29, "stars": 7, "installs": 4, "sha256": "cc7c2e439e58ea841241ecdc7dd2238d756b7cc7efbd6386d647f19247c51163", "payload": {"name": "ป้ายวันที่ไทย", "source": "export default function ThaiDate({ date }) {\n  return <time>{new Date(date).toLocaleDateString('th-TH-u-ca-buddhist', { dateStyle: 'full' })}</time>;\n}", "props_schema": {"type": "object", "properties": {"date": {"type": "string"}}}}},
    {"creator": 3, "type": "component", "slug": "furigana-text", "title": "ふりがな表示", "description": "漢字の上に読みを出します。読みは入力に含めます。", "tags": ["education", "translation"], "license": "cc-by", "days": 25, "stars": 18, "installs": 11, "sha256": "9c666ac722dd7816316ab6330fa8f67ecdb58e6691242e5f56598fd29e6e6825", "payload": {"name": "ふりがな表示", "source": "export default function Furigana({ words }) {\n  return <p>{words.map((w) => <ruby key={w.id}>{w.text}<rt>{w.reading}</rt></ruby>)}</p>;\n}", "props_schema": {"type": "object", "properties": {"words": {"type": "array"}}}}},
    {"creator": 5, "type": "component", "slug": "carte-de-score", "title": "Carte de score", "description": "Une note de 0 à 100 avec sa tendance, lisible sans couleur.", "tags": ["data-extraction"], "license": "platform-free", "days": 21, "stars": 10, "installs": 9, "sha256": "324fdeb47ded37b2dfe50c50d57d73fc7a20ddfbe870d9a13840a61ebe3a8107", "payload": {"name": "Carte de score", "source": "export default function Score({ value, trend }) {\n  return <strong aria-label={`score ${value}`}>{value} {trend > 0 ? '▲' : '▼'}</strong>;\n}", "props_schema": {"type": "object", "properties": {"value": {"type": "number"}, "trend": {"type": "number"}}}}},
    {"creator": 6, "type": "component", "slug": "galeria-de-imagens", "title": "Galeria de imagens", "description": "Miniaturas com legenda e teclado; nenhuma biblioteca.", "tags": ["content-creation", "ecommerce"], "license": "cc-by", "days": 17, "stars": 9, "installs": 7, "sha256": "f1d576eb9563dd8e877c71513751cac57db9dd3a0485d28e353bd95d8f38697a", "payload": {"name": "Galeria de imagens", "source": "export default function Gallery({ images }) {\n  return <ul>{images.map((i) => <li key={i.id}><img src={i.src} alt={i.alt} /></li>)}</ul>;\n}", "props_schema": {"type": "object", "properties": {"images": {"type": "array"}}}}},
    {"creator": 8, "type": "component", "slug": "token-counter", "title": "Token counter", "description": "Counts roughly how many tokens a text has, while it is typed.", "tags": ["code-generation"], "license": "cc0", "days": 13, "stars": 15, "installs": 12, "sha256": "a5b607b7e9e148f02b7126f0c95736aaa04df56b1adc23d8fe7bd5a838d14b76", "payload": {"name": "Token counter", "source": "export default function Tokens({ text }) {\n  return <output>{Math.ceil(text.length / 4)}</output>;\n}", "props_schema": {"type": "object", "properties": {"text": {"type": "string"}}}}},
    {"creator": 2, "type": "component", "slug": "json-tree", "title": "JSON tree", "description": "Folds and unfolds a JSON answer; copies the path of what is clicked.", "tags": ["data-extraction", "code-generation"], "license": "cc-by", "days": 8, "stars": 13, "installs": 10, "sha256": "4e4fe6f1af66ad09108b8c281b30a4e7e4dce477cd5814d2f58e31443bac8ad2", "payload": {"name": "JSON tree", "source": "export default function Tree({ value }) {\n  return <pre>{JSON.stringify(value, null, 2)}</pre>;\n}", "props_schema": {"type": "object", "properties": {"value": {"type": "object"}}}}},
    {"creator": 4, "type": "component", "slug": "tastenkuerzel-leiste", "title": "Tastenkürzel-Leiste", "description": "Zeigt die Tastenkürzel der Seite, gruppiert, auf Druck von „?“.", "tags": ["qa"], "license": "cc0", "days": 5, "stars": 4, "installs": 3, "sha256": "49b6e58454baab3e2610ea23feb691875fa6c07320da22eec79fc819477d5366", "payload": {"name": "Tastenkürzel-Leiste", "source": "export default function Keys({ keys }) {\n  return <dl>{keys.map((k) => <div key={k.key}><dt>{k.key}</dt><dd>{k.text}</dd></div>)}</dl>;\n}", "props_schema": {"type": "object", "properties": {"keys": {"type": "array"}}}}},
    {"creator": 1, "type": "ai_preset", "slug": "careful-analyst", "title": "Careful analyst", "description": "Low temperature and a long budget for thinking. For figures that have to add up.", "tags": ["research", "data-extraction", "gemini-2.5-pro"], "license": "cc0", "days": 60, "stars": 31, "installs": 29, "sha256": "f0c0e64236995a34a89e203a098e888c6590fab8c4e6d7e23fef217534012e08", "payload": {"model_id": "gemini-2.5-pro", "temperature": 0.1, "topP": 0.9, "maxOutputTokens": 8192, "thinkingBudget": 16000}},
    {"creator": 3, "type": "ai_preset", "slug": "quick-drafts", "title": "Quick drafts", "description": "Fast and cheap first drafts, short answers.", "tags": ["content-creation", "gemini-2.5-flash"], "license": "cc0", "days": 50, "stars": 24, "installs": 26, "sha256": "8de15c22abaaa50d223edf29d85daf365f4337d37051b2f4d2228f5e3ff633a9", "payload": {"model_id": "gemini-2.5-flash", "temperature": 0.8, "topP": 0.95, "topK": 40, "maxOutputTokens": 1024, "thinkingBudget": 0}},
    {"creator": 2, "type": "ai_preset", "slug": "strict-json", "title": "Strict JSON", "description": "Temperature zero for extraction into a schema.", "tags": ["data-extraction", "1ton", "gpt-5-mini"], "license": "cc0", "days": 46, "stars": 29, "installs": 33, "sha256": "c27fcd6e317e179516e6c02faa639835416c19135a04c0b0e680d81988005d76", "payload": {"model_id": "gpt-5-mini", "temperature": 0, "maxOutputTokens": 4096, "generate_content_api": "responses"}},
    {"creator": 5, "type": "ai_preset", "slug": "plume-litteraire", "title": "Plume littéraire", "description": "Réglages chauds pour des textes longs et vivants.", "tags": ["content-creation", "claude-sonnet-4-5"], "license": "cc-by", "days": 31, "stars": 12, "installs": 9, "sha256": "e488b9c1d07c5fdcd0d3406f052b96513446f37593d4ec5d3bafe3308e763ef9", "payload": {"model_id": "claude-sonnet-4-5", "temperature": 1, "topP": 0.98, "maxOutputTokens": 4096}},
    {"creator": 6, "type": "ai_preset", "slug": "revisor-de-codigo", "title": "Revisor de código", "description": "Raciocínio alto e pouca criatividade para revisar pull requests.", "tags": ["code-generation", "qa"], "license": "cc-by", "days": 24, "stars": 16, "installs": 14, "sha256": "14d56a3338179b9c8a17e108aa630c38c9a254ed015d968c925aa31285844c65", "payload": {"model_id": "gpt-5", "temperature": 0.2, "maxOutputTokens": 6000, "thinkingLevel": "high"}},
    {"creator": 7, "type": "ai_preset", "slug": "thai-translator", "title": "นักแปลไทย–อังกฤษ", "description": "ตั้งค่าสำหรับงานแปลที่ต้องการความสม่ำเสมอ", "tags": ["translation"], "license": "cc0", "days": 18, "stars": 6, "installs": 5, "sha256": "84c4c8eb3807ecd14ab96bd72e45ac631164af7f894bd51c417147078241dc64", "payload": {"model_id": "gemini-2.5-flash", "temperature": 0.3, "topP": 0.9, "maxOutputTokens": 4096}},
    {"creator": 8, "type": "ai_preset", "slug": "batch-classifier", "title": "Batch classifier", "description": "Small, fast and the same answer twice. For a hundred thousand rows.", "tags": ["classification", "batch"], "license": "cc0", "days": 12, "stars": 14, "installs": 13, "sha256": "6a70ed9ec2f1cf56c45a9eda537fc833c0b20903022dfdb74a4b6fb1bca27a64", "payload": {"model_id": "gpt-5-nano", "temperature": 0, "maxOutputTokens": 64}},
    {"creator": 4, "type": "ai_preset", "slug": "ruhiger-erklaerer", "title": "Ruhiger Erklärer", "description": "Erklärt langsam und ohne Ausschmückung. Für Unterricht und Support.", "tags": ["education"], "license": "cc0", "days": 7, "stars": 5, "installs": 4, "sha256": "614a9d7051175abd7e702a0fe48a1ab58365c52827662d4bc5f9156d13281288", "payload": {"model_id": "claude-haiku-4-5", "temperature": 0.4, "maxOutputTokens": 2048}},
    {"creator": 1, "type": "orchestration", "slug": "research-brief-in-three-steps", "title": "Research brief in three steps", "description": "Collects claims, checks each against its source, writes a one-page brief.", "tags": ["research", "1ton"], "license": "cc-by", "days": 52, "stars": 39, "installs": 27, "sha256": "5e6e136af65e19b0b19951df1bb618285bafe21e175d6b801f6179422192c41e", "payload": {"name": "Research brief in three steps", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Collect claims"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Check sources"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Write the brief"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Collect claims", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Check sources", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Write the brief", "settings": {}}]}, "items": [{"asset_type": "template", "title": "Clear meeting minutes", "payload": {"name": "Clear meeting minutes", "content": "Summarise this meeting transcript. List decisions, open questions and action items with an owner and a date each.\n\n{{transcript}}", "variables": [{"name": "transcript"}]}, "sha256": "1a81ab17454c92ee993cbf5fee217ef170c5e848ca0a63c044c269b6a010bf6f", "license": "cc-by", "of": "clear-meeting-minutes"}]},
    {"creator": 2, "type": "orchestration", "slug": "invoice-to-ledger", "title": "Invoice to ledger", "description": "Reads an invoice, checks the sums, proposes the booking.", "tags": ["data-extraction", "ecommerce", "1to1"], "license": "platform-free", "days": 42, "stars": 27, "installs": 24, "sha256": "d5bf26f8fd3a0f4504e96c42d13e6a9c69643c19c201c90d700430310541565b", "payload": {"name": "Invoice to ledger", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Read the invoice"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Check the sums"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Propose the booking"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Read the invoice", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Check the sums", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Propose the booking", "settings": {}}]}},
    {"creator": 3, "type": "orchestration", "slug": "podcast-to-article", "title": "ポッドキャストから記事へ", "description": "文字起こし、要点の抽出、記事の下書きを順に行います。", "tags": ["content-creation", "summarization"], "license": "cc-by", "days": 34, "stars": 20, "installs": 12, "sha256": "cc815b7ace81d629c5bbf62dcab0c9b237b83211db585f5dc5e3e8bc7210c95d", "payload": {"name": "ポッドキャストから記事へ", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "文字起こし"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "要点"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "下書き"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "文字起こし", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "要点", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "下書き", "settings": {}}]}},
    {"creator": 4, "type": "orchestration", "slug": "rechnung-pruefen", "title": "Rechnung prüfen", "description": "Der Ablauf „Invoice to ledger“ für deutsche Rechnungen, mit Umsatzsteuer.", "tags": ["data-extraction", "legal"], "license": "platform-free", "days": 22, "stars": 13, "installs": 10, "sha256": "85096350fac7297a6044978fdb7fb4acb4d6f9d3a7f13c21a46e4ad5d0ae1294", "payload": {"name": "Rechnung prüfen", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Rechnung lesen"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Umsatzsteuer prüfen"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Buchung vorschlagen"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Rechnung lesen", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Umsatzsteuer prüfen", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Buchung vorschlagen", "settings": {}}]}, "remix_of": "invoice-to-ledger"},
    {"creator": 5, "type": "orchestration", "slug": "veille-hebdomadaire", "title": "Veille hebdomadaire", "description": "Regroupe les articles de la semaine, écarte les doublons, écrit la lettre.", "tags": ["summarization", "marketing", "batch"], "license": "cc-by", "days": 16, "stars": 11, "installs": 8, "sha256": "6a460b012ef279cddb1838a109bfc7b4fd0b896ef3ec15e6ae4f312514458a1f", "payload": {"name": "Veille hebdomadaire", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Collecter"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Dédoublonner"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Rédiger la lettre"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Collecter", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Dédoublonner", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Rédiger la lettre", "settings": {}}]}},
    {"creator": 8, "type": "orchestration", "slug": "destek-kuyrugu", "title": "Destek kuyruğu", "description": "Gelen talepleri sınıflandırır, yanıt taslağı yazar, bir insana yönlendirir.", "tags": ["classification", "1ton"], "license": "cc-by", "days": 10, "stars": 8, "installs": 6, "sha256": "dccbbcfaab37d4443b93c738cb4afb82fdd7d7896897d7c7714d39bf7b1fcdae", "payload": {"name": "Destek kuyruğu", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Sınıflandır"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Taslak yaz"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Yönlendir"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Sınıflandır", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Taslak yaz", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Yönlendir", "settings": {}}]}},
    {"creator": 6, "type": "orchestration", "slug": "triagem-de-curriculos", "title": "Triagem de currículos", "description": "Lê currículos, compara com a vaga e justifica cada nota. Uma pessoa decide.", "tags": ["classification", "batch"], "license": "cc-by", "days": 3, "stars": 3, "installs": 2, "sha256": "51d3eca87a7fe4342d206f3b5efd78fed9b56768e5f12d15dc96de84587a34c2", "payload": {"name": "Triagem de currículos", "nodes": [{"id": "n1", "type": "stage", "position": {"x": 0, "y": 0}, "data": {"label": "Ler"}}, {"id": "n2", "type": "stage", "position": {"x": 240, "y": 0}, "data": {"label": "Comparar"}}, {"id": "n3", "type": "stage", "position": {"x": 480, "y": 0}, "data": {"label": "Justificar"}}], "edges": [{"id": "e1", "source": "n1", "target": "n2"}, {"id": "e2", "source": "n2", "target": "n3"}], "stage_configs": [{"id": "s1", "node_id": "n1", "name": "Ler", "settings": {}}, {"id": "s2", "node_id": "n2", "name": "Comparar", "settings": {}}, {"id": "s3", "node_id": "n3", "name": "Justificar", "settings": {}}]}}
  ]$json$;
  listing jsonb;
  creator uuid;
  ref uuid;
  original public.hub_assets;
  made jsonb;
  visitors uuid[];
begin
  if exists (select from auth.users u where u.email = 'ada-lindqvist@keyhub.local') then
    return;
  end if;

  insert into auth.users (
    id, aud, role, email, confirmation_token, recovery_token, email_change_token_new, email_change, created_at, updated_at
  )
  select gen_random_uuid(), 'authenticated', 'authenticated', n.name || '@keyhub.local', '', '', '', '',
    now() - make_interval(days => 120 - n.position), now()
  from (
    select c.username as name, c.position from (values
    (1, 'ada-lindqvist', 'Ada Lindqvist'),
    (2, 'marco-ferri', 'Marco Ferri'),
    (3, 'yuki-tanabe', '田辺 ゆき'),
    (4, 'lena-vogt', 'Lena Vogt'),
    (5, 'camille-roux', 'Camille Roux'),
    (6, 'rafael-nunes', 'Rafael Nunes'),
    (7, 'nok-srisai', 'นก ศรีใส'),
    (8, 'zeynep-aydin', 'Zeynep Aydın')
    ) c (position, username, display_name)
    union all
    select 'visitor-' || v, 20 + v from generate_series(1, 48) v
  ) n (name, position);

  update public.hub_profiles p
  set username = c.username, display_name = c.display_name
  from (values
    (1, 'ada-lindqvist', 'Ada Lindqvist'),
    (2, 'marco-ferri', 'Marco Ferri'),
    (3, 'yuki-tanabe', '田辺 ゆき'),
    (4, 'lena-vogt', 'Lena Vogt'),
    (5, 'camille-roux', 'Camille Roux'),
    (6, 'rafael-nunes', 'Rafael Nunes'),
    (7, 'nok-srisai', 'นก ศรีใส'),
    (8, 'zeynep-aydin', 'Zeynep Aydın')
  ) c (position, username, display_name)
  join auth.users u on u.email = c.username || '@keyhub.local'
  where p.user_id = u.id;

  visitors := array(
    select u.id from auth.users u where u.email like 'visitor-%@keyhub.local' order by u.created_at desc
  );

  for listing in select l.value from jsonb_array_elements(listings) with ordinality l (value, n) order by l.n loop
    select u.id into creator
    from auth.users u
    where u.email = (array['ada-lindqvist', 'marco-ferri', 'yuki-tanabe', 'lena-vogt', 'camille-roux', 'rafael-nunes', 'nok-srisai', 'zeynep-aydin'])[(listing ->> 'creator')::integer] || '@keyhub.local';

    if listing ->> 'type' = 'template' then
      insert into public.prompt_templates (user_id, name, content, variables)
      values (creator, listing ->> 'title', listing #>> '{payload,content}', listing #> '{payload,variables}')
      returning id into ref;
    elsif listing ->> 'type' = 'component' then
      insert into public.custom_components (user_id, name, source, props_schema)
      values (creator, listing ->> 'title', listing #>> '{payload,source}', listing #> '{payload,props_schema}')
      returning id into ref;
    elsif listing ->> 'type' = 'orchestration' then
      insert into public.orchestrator_configs (user_id, name, nodes, edges, stage_configs)
      values (creator, listing ->> 'title', listing #> '{payload,nodes}', listing #> '{payload,edges}', listing #> '{payload,stage_configs}')
      returning id into ref;
    else
      insert into public.ai_model_settings (user_id, name, model_id, temperature)
      values (creator, listing ->> 'title', listing #>> '{payload,model_id}', (listing #>> '{payload,temperature}')::double precision)
      returning id into ref;
    end if;

    -- A remix: the private registry row that an import leaves, published below.
    if listing ? 'remix_of' then
      select a.* into original from public.hub_assets a where a.slug = listing ->> 'remix_of';
      insert into public.hub_imports (asset_id, user_id, version, mode)
      values (original.id, creator, original.current_version, 'remix');
      insert into public.hub_assets (
        asset_type, ref_id, creator_id, slug, title, license, source_asset_id, parent_asset_id, remix_depth, attribution
      )
      select original.asset_type, ref, creator, replace(gen_random_uuid()::text, '-', ''), original.title, original.license,
        coalesce(original.source_asset_id, original.id), original.id, original.remix_depth + 1,
        jsonb_build_object('root', coalesce(original.attribution -> 'root', p.parent), 'parent', p.parent)
      from (
        select jsonb_build_object(
          'id', original.id, 'title', original.title, 'slug', original.slug, 'creator_id', original.creator_id,
          'license', original.license, 'version', original.current_version
        ) as parent
      ) p;
    end if;

    made := private.publish_snapshot(
      user_id => creator,
      asset_type => listing ->> 'type',
      ref_id => ref,
      slug => listing ->> 'slug',
      title => listing ->> 'title',
      description => listing ->> 'description',
      tags => array(select t.tag from jsonb_array_elements_text(listing -> 'tags') with ordinality t (tag, n) order by t.n),
      license => listing ->> 'license',
      payload => listing -> 'payload',
      sha256 => listing ->> 'sha256',
      items => coalesce(
        (
          select jsonb_agg(i.item || jsonb_build_object('ref_id', a.ref_id))
          from jsonb_array_elements(listing -> 'items') i (item)
          join public.hub_assets a on a.slug = i.item ->> 'of'
        ),
        '[]'
      )
    );

    update public.hub_assets a
    set published_at = now() - make_interval(days => (listing ->> 'days')::integer),
      content_updated_at = now() - make_interval(days => (listing ->> 'days')::integer),
      created_at = now() - make_interval(days => (listing ->> 'days')::integer)
    where a.id = (made ->> 'asset_id')::uuid;

    -- Who stars and imports differs from listing to listing.
    insert into public.hub_stars (asset_id, user_id, starred_at)
    select (made ->> 'asset_id')::uuid, v.id, now() - make_interval(hours => (24 * (listing ->> 'days')::integer * v.n / 50)::integer)
    from unnest(visitors) with ordinality v (id, n)
    where (v.n * 7 + (listing ->> 'days')::integer) % 48 < (listing ->> 'stars')::integer;
    insert into public.hub_imports (asset_id, user_id, version, mode, created_at)
    select (made ->> 'asset_id')::uuid, v.id, 1, 'use', now() - make_interval(hours => (24 * (listing ->> 'days')::integer * v.n / 50)::integer)
    from unnest(visitors) with ordinality v (id, n)
    where (v.n * 11 + (listing ->> 'days')::integer) % 48 < (listing ->> 'installs')::integer;
    insert into public.hub_reports (asset_id, reporter_id, reason)
    select (made ->> 'asset_id')::uuid, v.id, 'spam'
    from unnest(visitors) with ordinality v (id, n)
    where v.n <= (listing ->> 'reports')::integer;
  end loop;

  insert into public.hub_featured (asset_id, position)
  select a.id, f.position
  from unnest('{research-brief-in-three-steps,sql-from-a-question,pipeline-progress-bar,careful-analyst,keigo-mail-checker}'::text[])
    with ordinality f (slug, position)
  join public.hub_assets a on a.slug = f.slug;
end
$seed$;
