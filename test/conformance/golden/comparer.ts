import { canonical, type Exact, type ExactObject, isObject, sortedKeys } from './exact-json.ts'
import { shape } from './json-path.ts'
import type { Recorded } from './sequence.ts'

export type Category = 'answer' | 'status' | 'header-presence' | 'header-value' | 'shape' | 'value' | 'assert'

export interface Mismatch {
  readonly category: Category
  readonly message: string
}

/** Texts that quote the recorded system's language library: only that there is one counts. */
const libraryText =
  /strconv\.|time: (invalid|missing|unknown)|invalid character|unexpected (EOF|end)|: EOF|illegal base64|asn1:|x509:|unmarshal|parse error/

/**
 * Where an answer differs from the recorded one; nothing where they are equal. Unless `strict`, three agreed
 * divergences count as equal: more object keys than recorded; 400 where 500 was recorded for the caller's own mistake;
 * other words where the recorded ones quote a library.
 */
export function compare(want: Recorded, sent: Recorded, strict = false): Mismatch[] {
  if (want.error !== undefined || sent.error !== undefined) {
    if (want.error === sent.error) return []
    return [{ category: 'answer', message: `want ${want.error ?? want.status}, got ${sent.error ?? sent.status}` }]
  }
  const got = strict ? sent : granted(want, sent)
  const mismatches: Mismatch[] = []
  const say = (category: Category, a: Exact | undefined, b: Exact | undefined): void => {
    const [left, right] = [short(a), short(b)]
    if (left !== right) mismatches.push({ category, message: `want ${cut(left)}, got ${cut(right)}` })
  }
  if (want.dns !== undefined) {
    say('value', want.dns, got.dns)
    return mismatches
  }
  say('status', want.status, got.status)
  say('header-presence', headerNames(want), headerNames(got))
  say('header-value', headerValues(want), headerValues(got))
  if (want.json !== undefined) {
    say('shape', shape(want.json), got.json === undefined ? undefined : shape(got.json))
    say('value', want.json, got.json)
  } else {
    say('value', want.text ?? want.binary, got.text ?? got.binary ?? got.json)
  }
  if (want.x509 !== undefined) say('value', want.x509, got.x509)
  if (want.assert !== undefined) say('assert', { ...want.assert }, { ...got.assert })
  return mismatches
}

function granted(want: Recorded, got: Recorded): Recorded {
  if (want.json !== undefined && got.json !== undefined) return { ...got, json: withoutExtras(want.json, got.json) }
  if (!want.text || !got.text) return got
  if (want.status === 500 && got.status === 400) {
    return { ...got, status: 500, headers: want.headers ?? {}, text: want.text }
  }
  return want.status === got.status && libraryText.test(want.text) ? { ...got, text: want.text } : got
}

/** `got` less the object keys that `want` does not have: a superset serves the recorded system's clients as well. */
function withoutExtras(want: Exact, got: Exact): Exact {
  if (isObject(want) && isObject(got) && Object.keys(want).length > 0) {
    const out: ExactObject = {}
    for (const key of sortedKeys(got)) {
      if (Object.hasOwn(want, key)) out[key] = withoutExtras(want[key] as Exact, got[key] as Exact)
    }
    return out
  }
  if (!Array.isArray(want) || !Array.isArray(got) || want.length === 0) return got
  return got.map((item, at) => withoutExtras(want[Math.min(at, want.length - 1)] as Exact, item))
}

function headerNames(recorded: Recorded): Exact {
  return Object.keys(recorded.headers ?? {})
    .map((name) => name.toLowerCase())
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
}

function headerValues(recorded: Recorded): Exact {
  return Object.fromEntries(Object.entries(recorded.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
}

function short(value: Exact | undefined): string {
  return value === undefined ? 'nothing' : canonical(value)
}

function cut(text: string): string {
  return text.length < 300 ? text : `${text.slice(0, 300)}…`
}
