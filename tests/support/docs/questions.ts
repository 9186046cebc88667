import { readPage } from "./pages.ts";

/** Returns the questions and their SQL queries from the section "Questions" of docs/operate/keys.md. */
export function questionsOf(userId: string): { question: string; query: string }[] {
  const page = readPage("docs/operate/keys.md");
  const part = /^## Questions\n([\s\S]+?)^## /m.exec(page)?.[1] ?? "";
  const asked = [...part.matchAll(/^(\S.*):\n\n```sql\n([\s\S]+?)^```$/gm)];
  return asked.map(([, question = "", query = ""]) => ({
    question,
    query: query.replaceAll("<user_id>", userId).replace(/;\s*$/, ""),
  }));
}
