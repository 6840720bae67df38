import { generalised } from '../campaign/fingerprint.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Account } from '../scenario/account.ts'
import { isKeyed, type Keyed, listAt } from './page.ts'

/** What a run did wrong first. */
export interface Wrong {
  /**
   * Equal where two runs did the same wrong: the invariant, or the step or condition as the page has it, and the
   * message without what differs from run to run (which node, which index, how many of them).
   */
  readonly kind: string
  /** For people: `R6 (…): s5 wrote a vote for s4 in term 53 after one for s2`. */
  readonly text: string
  readonly atUs: number
}

/** Undefined: it did nothing wrong, or came to no verdict on that. */
export function wrongIn({ verdict, failures }: SeedRecord, account: Account, page: Keyed): Wrong | undefined {
  const [first] = failures
  if (verdict !== 'failed' || first === undefined) return undefined
  const { code, message, atUs, place } = first
  const where = code ?? placeIn(page, account.unmet ?? [])
  // That a message lists one node where another lists three makes no other kind of it.
  const said = generalised(message).replaceAll('…', '')
  return { kind: `${where}\n${said}`, text: `${code === undefined ? where : place}: ${message}`, atUs }
}

/** Where in a page an expectation stands, whatever has gone from before it: `step 'another one leads', eventually`. */
function placeIn(page: Keyed, [list = '', at, ...keys]: readonly (string | number)[]): string {
  const item = typeof at === 'number' ? listAt(page, String(list))[at] : undefined
  if (isKeyed(item) && typeof item['step'] === 'string') return [`step '${item['step']}'`, ...keys].join(', ')
  return [list, item === undefined ? (at ?? '') : JSON.stringify(item), ...keys].join(' ')
}
