/** What the commands ask of a project's database: whole rows of a table or view, in a form that both ways of access can carry out. */
export interface Database {
  /** The project's host, for messages. */
  host: string;
  /** All rows that match. A list means any of its values. */
  select<T extends object>(from: string, query: Query): Promise<T[]>;
  /** All of the rows, or none. */
  insert(into: string, rows: object[]): Promise<void>;
  update(table: string, id: string, values: Row): Promise<void>;
  /** Calls a function that returns rows. */
  call<T extends object>(name: string, args: Row): Promise<T[]>;
  /** The id of the user with this id or (by SQL alone) e-mail address; null when there is none. */
  findUser(idOrEmail: string): Promise<string | null>;
  end(): Promise<void>;
}

export type Value = string | number | boolean | null;
export type Row = Record<string, Value>;

export interface Query {
  columns: readonly string[];
  where?: Record<string, Value | readonly string[]>;
  /** A column, smallest first unless `descending`. Needed where there may be more than one row. */
  order: string;
  descending?: boolean;
  /** At most so many rows; all unless given. */
  limit?: number;
}

/** What the database refused: `code` is an SQLSTATE or PostgREST's code. */
export interface DatabaseFault {
  code: string;
  message: string;
  details?: string | null;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
