/**
 * Returns words, the most frequent first. The first words are real, in nine languages and five scripts. The others are made of syllables.
 */
export function vocabulary(size: number): string[] {
  return Array.from({ length: size }, (_, rank) => REAL[rank] ?? made(rank));
}

/** Returns the tags of assets, the most frequent first. */
export function tagNames(size: number): string[] {
  return Array.from({ length: size }, (_, rank) => TAGS[rank] ?? `topic-${rank}`);
}

/** A word in 60 % of all assets, like generic words in real hubs. */
export const COMMON_WORD = "assistant";

const CONSONANTS = "bcdfghjklmnprst";
const VOWELS = "aeiou";
const SYLLABLES = CONSONANTS.length * VOWELS.length;

/** Makes a word of three syllables that is different for each rank; every other word has a fourth syllable. */
function made(rank: number): string {
  // 7,919 has no common divisor with the number of words of three syllables, so each rank gets another word, and neighbours do not look
  // alike.
  let rest = (rank * 7919) % SYLLABLES ** 3;
  const syllables: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    syllables.push(syllable(rest % SYLLABLES));
    rest = Math.floor(rest / SYLLABLES);
  }
  return syllables.join("") + (rank % 2 === 0 ? "" : syllable(rank % SYLLABLES));
}

function syllable(i: number): string {
  return `${CONSONANTS[i % CONSONANTS.length]}${VOWELS[Math.floor(i / CONSONANTS.length)]}`;
}

const REAL = [
  "writer helper review summary email report code data table meeting notes invoice planner chart agent search",
  "translator customer support product blog post lesson plan quiz contract draft pipeline extractor classifier",
  "Rechnung Übersetzung Prüfung Zusammenfassung Entwurf resumen factura traducción plantilla correo",
  "résumé facture traduction modèle courriel 翻訳 要約 議事録 コード 生成 번역 요약 회의 작성 코드",
  "แปลภาษา สรุป ประชุม เขียน อีเมล",
].flatMap((line) => line.split(" "));

const TAGS = [
  "education marketing data-extraction summarization code-generation content-creation qa translation classification",
  "healthcare legal ecommerce research 1to1 1ton batch",
  "gpt-5 gpt-4o claude-sonnet-4-5 gemini-2.5-pro gemini-2.5-flash llama-4 mistral-large gpt-5-mini",
].flatMap((line) => line.split(" "));
