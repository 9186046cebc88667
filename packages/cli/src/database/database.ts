/** The queries that commands make to a project's database. Both SQL and the REST API can run them. */
export interface ProjectDatabase {
  /** The project's host, for messages. */
  host: string;
  /** Returns all rows whose columns have the values of `where`. A list means any value of the list. */
  select<T extends object>(from: string, query: RowQuery): Promise<T[]>;
  /** Inserts all of the rows or none. */
  insert(into: string, rows: object[]): Promise<void>;
  update(table: string, id: string, values: Row): Promise<void>;
  /** Calls a function that returns rows. */
  call<T extends object>(name: string, args: Row): Promise<T[]>;
  /** Returns the id of the user with this id or (only by SQL) e-mail address; null when there is no such user. */
  findUser(idOrEmail: string): Promise<string | null>;
  end(): Promise<void>;
}

export type ColumnValue = string | number | boolean | null;
export type Row = Record<string, ColumnValue>;

export interface RowQuery {
  columns: readonly string[];
  where?: Record<string, ColumnValue | readonly string[]>;
  /** The column to sort by, smallest first unless `descending`. Rows that are read in several pages need a fixed order. */
  order: string;
  descending?: boolean;
  /** The largest number of rows to return; without a limit, all rows. */
  limit?: number;
}

/** A refusal by the database. `code` is an SQLSTATE or PostgREST's code. */
export interface DatabaseFault {
  code: string;
  message: string;
  details?: string | null;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
