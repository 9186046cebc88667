import { REDACTED } from "../evidence/credential-value.ts";
import { hasUuidJoints } from "../evidence/entropy.ts";
import type { Receipts } from "../receipts.ts";
import type { KindOf, Seen } from "../types.ts";
import { ROUNDS, SKELETON_TIMES, type Work } from "../work.ts";
import { redactCommands } from "./cli/commands.ts";
import { isDataUri } from "./data-uri.ts";
import { redactPrivateKeys } from "./pem.ts";
import { scanText } from "./scan.ts";
import { skeletonOf } from "./skeleton.ts";
import { redactLayouts } from "./tables/layouts.ts";
import { redactUrls } from "./url.ts";

/** Removes secrets from texts, whatever the name of the value is. */
export class TextReader {
  readonly #kindOf: KindOf;
  readonly #receipts: Receipts;
  readonly #work: Work;
  readonly #takeLook = () => this.#work.take("look");
  readonly #seen: Seen;

  constructor(kindOf: KindOf, receipts: Receipts, work: Work) {
    this.#kindOf = kindOf;
    this.#receipts = receipts;
    this.#work = work;
    this.#seen = { foreign: false, work };
  }

  /** Reads a text until nothing more is found in it. */
  read(value: string): string {
    let text = value;
    for (let round = 0; round < ROUNDS; round++) {
      const clean = this.#readOnce(text);
      if (clean === text) break;
      text = clean;
    }
    return text;
  }

  #readOnce(value: string): string {
    const { length } = value;
    if (length < 6 || (length === 36 && hasUuidJoints(value, 0))) return value;
    if (this.#work.clean.has(value)) return value;
    const clean = this.#readAsSeen(value);
    if (clean === value) this.#work.clean.add(value);
    return clean;
  }

  /** Reads a text as it is, and also as it looks when that is different. */
  #readAsSeen(value: string): string {
    const known = this.#receipts.list.length;
    const { found } = this.#receipts;
    this.#seen.foreign = false;
    const clean = this.#readPlain(value);
    if (!this.#seen.foreign) return clean;
    if (!this.#work.read(value)) return REDACTED;
    const skeleton = skeletonOf(value);
    if (skeleton === null) return clean;
    if (!this.#work.read(value, SKELETON_TIMES)) return REDACTED;
    // The skeleton comes first: after half of a token was removed, the other half would not be found.
    const taken = this.#receipts.takeBack(known, found);
    const seen = this.#readPlain(skeleton.text);
    if (seen !== skeleton.text) return this.#readPlain(skeleton.restore(seen, REDACTED));
    taken.keep();
    return clean;
  }

  #readPlain(value: string): string {
    if (!this.#work.read(value)) return REDACTED;
    const { length } = value;
    if (isDataUri(value)) return value;
    const { report } = this.#receipts;
    const keyless = length < 64 ? value : redactPrivateKeys(value, report);
    if (length < 12) return scanText(keyless, this.#kindOf, report, this.#seen);
    const known =
      length < 20
        ? keyless
        : redactCommands(redactLayouts(keyless, this.#kindOf, report), report, this.#takeLook);
    return scanText(redactUrls(known, report), this.#kindOf, report, this.#seen);
  }
}
