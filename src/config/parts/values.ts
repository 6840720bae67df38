import { parseDuration } from '../../base/duration.ts'
import type { Json } from '../../base/json.ts'
import type { Endpoint } from '../../env/net.ts'
import { isAddress, isHostName, parseEndpoint } from '../../rpc/address.ts'

/** Part of the effective configuration as `/v1/agent/self` shows it: flat, in the field's CamelCase, without secrets. */
export type Shown = { readonly [key: string]: Json }

/**
 * Reports something wrong with the whole: what, and what to do. `key` is the key that it is about, with dots, for the
 * place that is named; undefined where it is about none. `restsOn`: the other keys by whose values it is judged, as in
 * `ConfigProblem`.
 */
export type Report = (message: string, remedy: string, key: string | undefined, restsOn?: readonly string[]) => void

/**
 * `problem` keeps the agent from starting, because data or safety is at stake; `warn` says what it does instead, and
 * the agent starts as it would in the field.
 */
export interface Reports {
  readonly problem: Report
  readonly warn: Report
}

/** Minimum interval of repeated work: a shorter one would keep a processor busy. */
const shortestIntervalMs = 10

/** A duration that the schema has let through, or what holds without one. */
export function milliseconds(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise
  const parsed = parseDuration(text)
  return parsed.ok ? parsed.value : otherwise
}

/** The same in whole seconds, as DNS counts. */
export function wholeSeconds(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Math.floor(milliseconds(text, 0) / 1000)
}

/** The interval that a key asks for, or the shortest one that there is. */
export function interval(key: string, text: string | undefined, otherwise: number, warn: Report): number {
  const asked = milliseconds(text, otherwise)
  if (asked >= shortestIntervalMs) return asked
  warn(`${key} cannot be ${text}`, `it is ${shortestIntervalMs}ms, the shortest`, key)
  return shortestIntervalMs
}

/** A limit, where 0 means no limit. The field takes a negative number to mean the same. */
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
