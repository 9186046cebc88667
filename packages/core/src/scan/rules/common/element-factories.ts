/** Functions that create an element from a tag name: the browser's, React's and those that JSX compilers call. */
const FACTORIES = /^_?(?:createElement(?:NS|VNode)?|createVNode|jsxs?|jsxDEV|h)\d?$/;

export function isElementFactory(name: string): boolean {
  return FACTORIES.test(name);
}
