import { hex, utf8 } from '../../src/base/bytes.ts'
import { hasFailed, type SeedRecord, type SeedVerdict } from '../report/seed-record.ts'

/** Number of characters of a message that distinguish kinds of failures. */
const messageMax = 500

/**
 * The common part of failures that most likely have one cause: the verdict, the invariant or the place in the scenario,
 * and the message without what differs between seeds: numbers, hashes, names of agents, lengths of lists. For a seed
 * without a run, only the verdict and the scenario, because last output and stacks depend on the moment. Undefined: the
 * seed has not failed.
 */
export function failureKind(record: SeedRecord): string | undefined {
  if (!hasFailed(record)) return undefined
  const { verdict, trace, page, failures, notes } = record
  const [first] = failures
  if (trace === null) return kindWithoutRun(verdict, page)
  if (verdict !== 'failed' || first === undefined)
    return [verdict, page.slice(0, 16), generalised(notes[0] ?? '')].join('\n')
  const where = first.code ?? `${page.slice(0, 16)}:${/:(\d+:\d+)$/.exec(first.place)?.[1] ?? first.place}`
  return [verdict, where, generalised(first.message)].join('\n')
}

/** The kind of seeds without a run. */
export function kindWithoutRun(verdict: SeedVerdict, page: string): string {
  return `${verdict} in ${page.slice(0, 16)}`
}

/** Sixteen hexadecimal digits for a kind of failure. */
export function fingerprintOf(kind: string, sha256: (bytes: Uint8Array) => Uint8Array): string {
  return hex(sha256(utf8(kind)).subarray(0, 8))
}

/** Makes `s4 still runs after 30 s` and `s2 still runs after 12.5 s` equal. */
export function generalised(message: string): string {
  return message
    .slice(0, messageMax)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, '#')
    .replaceAll(/\d+(?:[.,:]\d+)*/g, '#')
    .replaceAll(/([\w-]*#)(?:(?:, | and | |,)\1)+/g, '$1…')
}
