import type postgres from "postgres";
import { connectionIsLost, lostConnection } from "../postgres/lost-connection.ts";

/** A connection that is reserved for one transaction, with the members that lite's query builder uses. */
export interface ReservedConnection {
  unsafe(text: string, parameters?: never[]): Promise<postgres.RowList<postgres.Row[]>>;
  release(): void;
}

interface Slot {
  sql: postgres.Sql;
  /** True once the connection is lost. Its transaction is gone, so every later statement is refused. */
  lost: boolean;
}

/**
 * Makes a connection pool that replaces the driver's own `reserve`. The driver keeps using a connection that died during a transaction: the
 * rollback then hangs for ever or crashes the process. Here each slot is a client with one connection. When the connection is lost, later
 * statements are refused and the slot is replaced.
 */
export function createPool(size: number, open: (onclose: () => void) => postgres.Sql) {
  const idle: Slot[] = [];
  const all = new Set<Slot>();
  const waiting: ((slot: Slot) => void)[] = [];
  const reserved = new Set<Slot>();

  function makeSlot(): Slot {
    const slot: Slot = {
      lost: false,
      sql: open(() => {
        // Only a reserved slot becomes lost: an idle slot reconnects when it is next used.
        if (reserved.has(slot)) slot.lost = true;
      }),
    };
    all.add(slot);
    return slot;
  }

  function giveBack(slot: Slot): void {
    reserved.delete(slot);
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

  async function reserve(): Promise<ReservedConnection> {
    const slot = await take();
    reserved.add(slot);
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
