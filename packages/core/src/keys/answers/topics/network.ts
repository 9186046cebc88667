import type { ReaderRule } from "../types.ts";
import { words } from "../words.ts";
import { any } from "./vocabulary.ts";

// No answer of the provider arrived.

/** The words of runtimes and SDKs. */
export const UNREACHED_WORDS: ReaderRule = {
  phrase: words(`
    stream ended before | error sending request | ended without | stream closed | connection interrupted | no response from |
    socket connection was closed | connection was closed | connection error | could not connect | unable to connect | failed to connect | connection failed |
    fetch failed | failed to fetch | socket hang up | connection error | econnreset | econnrefused |
    etimedout | enotfound | eai_again | ehostunreach | enetunreach | enetdown | connection reset | connection refused | connection aborted |
    timed out | timedout | timeout | request was aborted | operation was aborted | aborted by user |
    user aborted | network error | network is unreachable | client closed request |
    name or service not known | getaddrinfo | premature close | terminated |
    remote end closed connection | server disconnected | incomplete chunked read | incomplete read |
    peer closed connection | broken pipe | connection closed | context deadline exceeded |
    context canceled | no such host | i/o timeout | tls handshake | security certificate | sec_error_ | ssl_error_ | certificate verify failed |
    self-signed certificate | self signed certificate | unable to get local issuer |
    cannot connect to host | net::err_ | deadline exceeded | request cancelled |
    request canceled | was cancelled | was canceled | connection lost | disconnected |
    unexpected eof | nsurlerrordomain | kcferrordomain | nsposixerrordomain | os error 104 | os error 54 | os error 110 | os error 111 |
    winerror 10053 | winerror 10054 | winerror 10060 | winerror 10061 | network connection was lost | network connection lost | appears to be offline |
    could not resolve host | couldn't connect to server | unreachable | nodename nor servname | hostname could not be found | schannel |
    xmlhttprequest error | clientexception | socketexception | handshakeexception | net/http: | wsarecv | no route to host | operation timed out
  `),
  outcome: "unreachable",
  source: "runtimes and SDKs: undici, Node, httpx, requests, aiohttp, Go net/http",
};

/** Words so short that they are parts of others, such as "valueOf"; and words of other languages. */
export const UNREACHED_SHORT: ReaderRule = {
  pattern: new RegExp(
    any(
      "\\b(?:eof|dns)\\b",
      "超时 | 连接失败 | 连接被重置 | 无法连接 | 网络错误 | 网络异常 | タイムアウト | 接続できません | 接続エラー | 시간 초과 | 연결 실패 | 연결할 수 없 | таймаут | тайм-аут | время ожидания | не удалось подключиться | zeitüberschreitung | verbindung fehlgeschlagen | délai d'attente | délai dépassé | tiempo de espera | tempo limite",
    ),
  ),
  outcome: "unreachable",
  source: "Go net/http, resolvers, resellers",
};

/** Words only for a failed connection, anywhere in a text: whatever else the text blames, no answer was seen. */
export const UNREACHED_FOR_SURE: ReaderRule = {
  phrase: words(`
    failed to establish a new connection | max retries exceeded with url | nsurlerrordomain | connection refused |
    getaddrinfo | name resolution | no route to host
  `),
  outcome: "unreachable",
  source: "urllib3, Node, Foundation",
};

/** Identifiers for the same in a body that a client built. */
export const UNREACHED_NAMES: ReaderRule = {
  identifierWords:
    /\b(?:etimedout|econnreset|econnrefused|econnaborted|enotfound|epipe|eai again|err network|err canceled|und err \w+)\b/,
  outcome: "unreachable",
  source: "Node, axios, undici",
};
