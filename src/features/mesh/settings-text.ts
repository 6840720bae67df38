import { compareText, utf8 } from '../../base/bytes.ts'
import { invariant } from '../../base/invariant.ts'
import { type Json, writeJson } from '../../base/json.ts'
import { type JsonInput, parseJsonInput } from '../../base/json-input.ts'

/**
 * Opaque settings for another program, stored as JSON text, so that no name in them ever becomes a member of an object
 * of ours. Members are sorted, so equal settings have equal texts. Empty: no settings.
 */

/** `value` comes from a configuration file or a body, as plain data or as `JsonInput`. */
export function settingsText(value: unknown): string {
  return value === undefined || value === null ? '' : writeJson(ordered(value))
}

function ordered(value: unknown): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value as Json
  const members = value instanceof Map ? [...(value as Map<string, unknown>)] : Object.entries(value)
  members.sort(([a], [b]) => compareText(a, b))
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]))
}

/** For an answer. `text` is not empty. */
export function settingsJson(text: string): Json {
  const parsed = parseJsonInput(utf8(text))
  invariant(parsed.ok, 'settings are kept as JSON')
  return jsonOf(parsed.value)
}

function jsonOf(value: JsonInput): Json {
  if (Array.isArray(value)) return (value as readonly JsonInput[]).map(jsonOf)
  if (!(value instanceof Map)) return value as Json
  return Object.fromEntries([...(value as ReadonlyMap<string, JsonInput>)].map(([name, one]) => [name, jsonOf(one)]))
}
