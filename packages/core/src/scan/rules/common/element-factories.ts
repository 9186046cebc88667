/** Functions that create an element from a tag name: the browser's, React's and those that JSX compilers call. */
const MAKERS = /^_?(?:createElement(?:NS|VNode)?|createVNode|jsxs?|jsxDEV|h)\d?$/;

export function isElementMaker(name: string): boolean {
  return MAKERS.test(name);
}
