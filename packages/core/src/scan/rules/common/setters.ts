/** Functions that write a property. A path that ends in `=` is a setter detached from its object. */
const SETTERS = /^Reflect\.(?:set|defineProperty)$|^Object\.(?:assign|definePropert(?:y|ies))$|=$/;

export function isSetter(path: string): boolean {
  return SETTERS.test(path);
}
