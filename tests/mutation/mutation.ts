/** A guard of the key service, and how to take it out of the function that holds it. */
export interface Mutation {
  name: string;
  /** Schema-qualified SQL function. */
  in: string;
  from: string;
  to: string;
}
