import type postgres from "postgres";
import { connectionIsLost, lostConnection } from "../postgres/lost-connection.ts";

/** What a transaction holds; the part of a reserved connection that the query builder uses. */
export interface Lease {
  unsafe(text: string, parameters?: never[]): Promise<postgres.RowList<postgres.Row[]>>;
  release(): void;
}

interface Slot {
  sql: postgres.Sql;
  /** Set when its connection is lost: nothing more may run on this lease, as the transaction went with it. */
  lost: boolean;
}

/**
 * Connections to lend, in place of the driver's own `reserve`. That one goes on using a connection that has died
 * under a transaction: the rollback waits for ever, or takes the whole process down. Here each slot is a client of
 * one connection, so its death is known, every later statement of that lease is refused, and the slot is thrown away.
 */
export function createPool(size: number, open: (onclose: () => void) => postgres.Sql) {
  const idle: Slot[] = [];
  const all = new Set<Slot>();
  const waiting: ((slot: Slot) => void)[] = [];
  const leased = new Set<Slot>();

  function makeSlot(): Slot {
    const slot: Slot = {
      lost: false,
      sql: open(() => {
        // A slot nobody holds connects again when it is next used.
        if (leased.has(slot)) slot.lost = true;
      }),
    };
    all.add(slot);
    return slot;
  }

  function giveBack(slot: Slot): void {
    leased.delete(slot);
    if (slot.lost) {
      all.delete(slot);
      void slot.sql.end({ timeout: 0 }).catch(() => {});
    }
    const free = slot.lost ? makeSlot() : slot;
    const next = waiting.shift();
    if (next) next(free);
    else idle.push(free);
  }

  async function take(): Promise<Slot> {
    const free = idle.pop();
    if (free) return free;
    if (all.size < size) return makeSlot();
    return new Promise((resolve) => waiting.push(resolve));
  }

  async function reserve(): Promise<Lease> {
    const slot = await take();
    leased.add(slot);
    return {
      unsafe: async (text, parameters) => {
        if (slot.lost) throw lostConnection();
        try {
          return await slot.sql.unsafe(text, parameters);
        } catch (error) {
          if (connectionIsLost(error)) slot.lost = true;
          throw error;
        }
      },
      release: () => giveBack(slot),
    };
  }

  return {
    reserve,
    end: async (timeout: number) => {
      await Promise.allSettled([...all].map((slot) => slot.sql.end({ timeout })));
    },
  };
}
