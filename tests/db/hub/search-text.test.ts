import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon } from "../../support/actors.ts";
import { cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser } from "../../support/hub.ts";
import { titles } from "../../support/search.ts";

/* Tests typed texts and what they find: one case for each rule about words. */

const db = await cloneDatabase();
afterAll(() => db.drop());
const guest = anon(db);

beforeAll(async () => {
  const creator = await makeUser(db.sql);
  const listings: [title: string, description: string, tags?: string[]][] = [
    ["C++ code reviewer", "Finds undefined behaviour."],
    ["C code reviewer", "For kernels."],
    ["C# unit tests", "Writes them for classes."],
    [".NET migration plan", "From the old framework."],
    ["Net promoter score", "Reads answers of customers."],
    ["node.js log reader", "Explains stack traces."],
    ["Prompt for gpt-4o", "Tuned.", ["gpt-4o"]],
    ["Prompt for gpt-4", "Tuned.", ["gpt-4"]],
    ["Rechnungsprüfung", "Prüft Beträge."],
    ["Müller-Brief", "Anschreiben."],
    ["Straßenplaner", "Wege durch die Stadt."],
    ["Résumé de réunion", "Décisions et actions."],
    ["Traducción jurídica", "Contratos y demandas."],
    ["議事録作成", "会議の内容を要約します。"],
    ["翻訳アシスタント", "日本語と英語。"],
    ["代码审查助手", "检查错误和风格。"],
    ["회의록 요약", "결정 사항만 남깁니다."],
    ["번역기", "한국어와 영어."],
    ["แปลภาษาไทย", "ไทยและอังกฤษ"],
    ["Перевод договоров", "Юридический язык."],
    ["Email templates", "Ten of them."],
    ["Company report", "Written by quarter, with templates."],
    ["Weather widget", "Shows an umbrella."],
    ["Story about stories", "A summary of summaries."],
    ["useDebounce", "A hook that waits."],
  ];
  for (const [i, [title, description, tags = []]] of listings.entries())
    await makeAsset(db.sql, { creator, title, description, tags, slug: `text-${i}` });
});

describe("the first found", () => {
  test.each([
    ["c++", "C++ code reviewer"],
    ["C++ reviewer", "C++ code reviewer"],
    ["cpp", "C++ code reviewer"],
    ["c code reviewer", "C code reviewer"],
    ["c#", "C# unit tests"],
    ["csharp", "C# unit tests"],
    [".net", ".NET migration plan"],
    ["dotnet", ".NET migration plan"],
    ["node.js", "node.js log reader"],
    ["nodejs", "node.js log reader"],
    ["gpt-4o", "Prompt for gpt-4o"],
    ["gpt4o", "Prompt for gpt-4o"],
    ["gpt 4o", "Prompt for gpt-4o"],
    ["rechnung", "Rechnungsprüfung"],
    ["prüfung", "Rechnungsprüfung"],
    ["pruefung", "Rechnungsprüfung"],
    ["prufung", "Rechnungsprüfung"],
    ["mueller", "Müller-Brief"],
    ["muller", "Müller-Brief"],
    ["strassenplaner", "Straßenplaner"],
    ["resume", "Résumé de réunion"],
    ["RÉUNION", "Résumé de réunion"],
    ["re\u0301union", "Résumé de réunion"],
    ["traduccion juridica", "Traducción jurídica"],
    ["議事録", "議事録作成"],
    ["要約", "議事録作成"],
    ["翻訳", "翻訳アシスタント"],
    ["ｱｼｽﾀﾝﾄ", "翻訳アシスタント"],
    ["审查", "代码审查助手"],
    ["助", "代码审查助手"],
    ["회의록", "회의록 요약"],
    ["회의록을", "회의록 요약"],
    ["번역기를", "번역기"],
    ["แปล", "แปลภาษาไทย"],
    ["ภาษาไทย", "แปลภาษาไทย"],
    ["ПЕРЕВОД", "Перевод договоров"],
    ["переводы", "Перевод договоров"],
    ["template", "Email templates"],
    ["email template", "Email templates"],
    ["templates", "Email templates"],
    ["emial templates", "Email templates"],
    ["templats", "Email templates"],
    ["tempaltes", "Email templates"],
    ["wether widget", "Weather widget"],
    ["weather wi", "Weather widget"],
    ["wea", "Weather widget"],
    ["umbrellas", "Weather widget"],
    ["use debounce", "useDebounce"],
    ["usedebounce", "useDebounce"],
    ["debounce", "useDebounce"],
    ["story", "Story about stories"],
    ["summary", "Story about stories"],
    ["how to write an email template", "Email templates"],
  ])("%s: %s", async (q, first) => {
    expect((await titles(guest, { q }))[0]).toBe(first);
  });
});

test("a title before a description", async () => {
  expect(await titles(guest, { q: "templates" })).toEqual(["Email templates", "Company report"]);
});

test("a word that is finished finds no longer ones of three letters", async () => {
  expect(await titles(guest, { q: "wea " })).toEqual([]);
});

test("signs keep words apart", async () => {
  expect(await titles(guest, { q: "c++" })).toEqual(["C++ code reviewer"]);
  expect(await titles(guest, { q: ".net" })).toEqual([".NET migration plan"]);
});

test("a slip is only looked for where nobody wrote it so", async () => {
  expect(await titles(guest, { q: "brief" })).toEqual(["Müller-Brief"]);
  await makeAsset(db.sql, { title: "Breif", slug: "breif" });
  expect((await titles(guest, { q: "breif" }))[0]).toBe("Breif");
});
