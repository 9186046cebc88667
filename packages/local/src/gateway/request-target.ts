/** Letters, digits and marks that a path may hold as they are, and escapes of nothing but what has to be escaped. */
const SEGMENT =
  /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%(?:2[0-24,6-9A-Da-d]|3[A-Ea-e]|40|5[BbDdEe]|60|7[B-Db-d]|[89A-Fa-f][0-9A-Fa-f]))*$/;
const QUERY = /^[!-"$-~]*$/;

export interface Target {
  path: string;
  /** With its question mark; empty when there is none. */
  query: string;
}

/**
 * Reads the target of a request line. Null unless it can be read in one way only: it begins with one slash, no part of its path
 * is empty (but the last), `.` or `..`, and nothing that leads elsewhere is escaped, such as a slash, a dot, a letter or
 * another escape. So whoever decodes or resolves the path later comes to the same one.
 */
export function readTarget(target: string): Target | null {
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
  // Some servers take off what follows a semicolon, and then see the dots.
  if (!SEGMENT.test(segment) || /^\.{1,2}(?:;|$)/.test(segment)) return false;
  try {
    // Bytes that are no UTF-8 may be read as anything.
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
