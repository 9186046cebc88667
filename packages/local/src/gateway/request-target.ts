/** Matches a segment of a path: the characters that need no escape, and escapes only of characters that need one. */
const SEGMENT =
  /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?:2[0-24,6-9A-Da-d]|3[A-Ea-e]|40|5[BbDdEe]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f]))*$/;
const QUERY = /^[!-"$-~]*$/;

export interface RequestTarget {
  path: string;
  /** The query with its question mark; empty when there is no query. */
  query: string;
}

/**
 * Parses the target of a request line. Null when two parsers could read it differently: it must begin with exactly one slash,
 * have no empty segment but the last, no `.` or `..`, and no needless escape (of a slash, a dot, a letter, a percent sign). So
 * whoever decodes or resolves the path later gets the same path.
 */
export function readTarget(target: string): RequestTarget | null {
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark);
  const [start, ...segments] = path.split("/");
  if (start !== "" || segments.length === 0 || !QUERY.test(query)) return null;
  const plain = segments.every(
    (segment, i) => isPlain(segment) && (segment !== "" || i === segments.length - 1),
  );
  return plain ? { path, query } : null;
}

function isPlain(segment: string): boolean {
  // Some servers cut a segment at the semicolon; then `..;x` is `..`.
  if (!SEGMENT.test(segment) || /^\.{1,2}(?:;|$)/.test(segment)) return false;
  try {
    // Bytes that are not UTF-8 may be decoded differently by others.
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
