/** The position where a text stops being JSON, and the reason. */
export interface JsonFault {
  /** The index in the text, from 0. */
  at: number;
  message: string;
}

const BLANKS = /[ \t\r\n]*/y;
const MARK = /[{}[\],:]/y;
const TEXT = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const WORD = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** The next part that JSON requires. For "first value" and "first name", the closing bracket is allowed, too. */
type Wanted = "value" | "first value" | "name" | "first name" | "colon" | "comma" | "nothing";

/** Returns the first fault of a text; null for valid JSON. The browsers' own messages are not used, because some lack the position. */
export function jsonFault(text: string): JsonFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch {
    const { at, why } = whereItEnds(text);
    const before = text.slice(0, at).split("\n");
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { at, message: `Line ${before.length}, column ${column}: ${why}.` };
  }
}

function whereItEnds(text: string): { at: number; why: string } {
  const open: ("{" | "[")[] = [];
  let at = 0;
  let last = "";
  let wanted: Wanted = "value";
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const afterValue = () => (open.length > 0 ? "comma" : "nothing");
  for (;;) {
    take(BLANKS);
    const start = at;
    const mark = take(MARK);
    const isName = wanted === "name" || wanted === "first name";
    const isValue = wanted === "value" || wanted === "first value";
    if (isValue && (mark === "{" || mark === "[")) {
      open.push(mark);
      wanted = mark === "{" ? "first name" : "first value";
    } else if (mark === "}" && open.at(-1) === "{" && (wanted === "comma" || wanted === "first name")) {
      open.pop();
      wanted = afterValue();
    } else if (mark === "]" && open.at(-1) === "[" && (wanted === "comma" || wanted === "first value")) {
      open.pop();
      wanted = afterValue();
    } else if (mark === "," && wanted === "comma") {
      wanted = open.at(-1) === "{" ? "name" : "value";
    } else if (mark === ":" && wanted === "colon") {
      wanted = "value";
    } else if (mark === "" && isName && take(TEXT) !== "") {
      wanted = "colon";
    } else if (mark === "" && isValue && (take(TEXT) || take(WORD)) !== "") {
      wanted = afterValue();
    } else {
      return { at: start, why: reason(wanted, text[start], last, open.at(-1)) };
    }
    last = text.slice(start, at).slice(0, 1);
  }
}

function reason(wanted: Wanted, next: string | undefined, last: string, open: "{" | "[" | undefined): string {
  const end = open === "{" ? "}" : "]";
  if (next === end && last === ",") return `there is one comma too many before this ${end}`;
  switch (wanted) {
    case "nothing":
      return "nothing may follow here";
    case "colon":
      return "a colon (:) is missing here";
    case "comma":
      return `a comma or ${end} is missing here`;
    case "name":
    case "first name":
      return next === '"' ? "this text has no end in its line" : "a name in double quotes is missing here";
    default:
      if (next === undefined || "}],:".includes(next)) return "a value is missing here";
      return next === '"'
        ? "this text has no end in its line"
        : "this is not a value; a text needs double quotes";
  }
}
