import { parseDuration } from '../../base/duration.ts'
import type { Json } from '../../base/json.ts'
import type { Endpoint } from '../../env/net.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'

/** Part of the effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase, without secrets. */
export type Shown = { readonly [key: string]: Json }

/**
 * Reports a problem of the whole configuration: the problem, and what to do. `key` is the key that it concerns, with
 * dots, from which the reported place follows; undefined if it concerns no single key. `restsOn` are the other keys
 * whose values decide whether the problem exists, as in `ConfigProblem`.
 */
export type Report = (message: string, remedy: string, key: string | undefined, restsOn?: readonly string[]) => void

/**
 * `problem` keeps the agent from starting, because data or safety is at stake. `warn` says what the agent does instead;
 * the agent then starts as it would in the field.
 */
export interface Reports {
  readonly problem: Report
  readonly warn: Report
}

/** Minimum interval of repeated work: a shorter one would keep a processor busy. */
const shortestIntervalMs = 10

/** A duration that the schema has accepted, or the default if there is none. */
export function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const parsed = parseDuration(text)
  return parsed.ok ? parsed.value : otherwise
}

/** The same in whole seconds, as DNS expresses durations. */
export function wholeSeconds(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Math.floor(milliseconds(text, 0) / 1000)
}

/** The configured interval, or the shortest one that is allowed. */
export function interval(key: string, text: string | undefined, otherwise: number, warn: Report): number {
  const asked = milliseconds(text, otherwise)
  if (asked >= shortestIntervalMs) return asked
  warn(`${key} cannot be ${text}`, `it is ${shortestIntervalMs}ms, the shortest`, key)
  return shortestIntervalMs
}

/** A limit, where 0 means no limit. The field also accepts a negative number for no limit. */
export function notNegative(key: string, given = 0, warn: Report): number {
  if (given < 0) warn(`${key} cannot be ${given}`, 'it is 0, no limit', key)
  return Math.max(0, given)
}

/** The destination of messages: an address or a name, and a port, which may have a default. */
export function receiverOf(
  key: string,
  text: string | undefined,
  problem: Report,
  usualPort?: number,
): Endpoint | undefined {
  if (text === undefined || text === '') return undefined
  const bare = usualPort !== undefined && isHostName(text) ? { host: text, port: usualPort } : undefined
  const named = parseEndpoint(text, usualPort) ?? bare
  const endpoint = named?.host.toLowerCase() === 'localhost' ? { host: '127.0.0.1', port: named.port } : named
  if (endpoint !== undefined && endpoint.port > 0 && (isAddress(endpoint.host) || isHostName(endpoint.host))) {
    return endpoint
  }
  const example = `127.0.0.1:${usualPort ?? 8125}`
  problem(
    `${key} "${text}": is not a host and a port`,
    `write an address or a name and a port, such as ${example}`,
    key,
  )
  return undefined
}
