import { type Idiom, idiom } from "./commands.ts";

/** Lines of files that hold nothing but credentials: `.netrc` and `.pgpass`. */
export const NETRC: readonly Idiom[] = [
  idiom(
    "password",
    /((?:\bmachine\s{1,4}\S{1,120}|(?:^|\n)default)\s{1,12}login\s{1,12}\S{1,120}\s{1,12}(?:account\s{1,12}\S{1,120}\s{1,12})?password\s{1,12})(\S{3,200})/g,
  ),
  idiom(
    "password",
    /(\bmachine\s{1,4}\S{1,120}\s{1,12}account\s{1,12}\S{1,120}\s{1,12}login\s{1,12}\S{1,120}\s{1,12}password\s{1,12})(\S{3,200})/g,
  ),
];

/** `host:port:database:user:password`. */
export const PGPASS: readonly Idiom[] = [
  idiom(
    ":",
    /((?:^|\n)(?:\*|localhost|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}|\/[\w./-]{1,80}):(?:\d{4,5}|\*):(?:\*|[\w-]{1,63}):(?:\*|[\w.@-]{1,63}):)([^\s:][^\s]{5,200})(?=\s|$)/g,
  ),
];
