import { type InvariantCode, invariants } from '../checkers/checkers.ts'
import type { EvidenceKind } from '../checkers/evidence.ts'

/** The evidence for an expectation of a page, which does not declare what it depends on. */
const usualEvidence: readonly EvidenceKind[] = [
  'requests',
  'names',
  'forwards',
  'commands',
  'authority',
  'intentions',
  'rights',
  'elections',
]

/**
 * Kinds of events that show how a failure came about; an invariant declares its own. `code`: the failed law or
 * expectation.
 */
export function evidenceOf(code: string): readonly EvidenceKind[] {
  return isCode(code) ? invariants[code].evidence : usualEvidence
}

/** What an invariant demands; undefined: it is no invariant. */
export function demandOf(code: string): string | undefined {
  return isCode(code) ? invariants[code].text : undefined
}

/** Whether it is the code of an invariant; an expectation is named by its place in a page. */
export function isCode(code: string): code is InvariantCode {
  return Object.hasOwn(invariants, code)
}
