import { generalised } from '../campaign/fingerprint.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Account } from '../scenario/account.ts'
import { isKeyed, type Keyed, listAt } from './page.ts'

/** A failure of a run. */
export interface Wrong {
  /**
   * Equal if two runs failed in the same way: the invariant, or the step or condition as written in the page, and the
   * message without what differs between runs (which node, which index, how many of them).
   */
  readonly kind: string
  /** For readers: `R6 (…): s5 wrote a vote for s4 in term 53 after one for s2`. */
  readonly text: string
  readonly atUs: number
}

/** Whether it is a mark or a count that the page demands of the whole run. */
export function isUnreached({ kind }: Wrong): boolean {
  return kind.startsWith('demands ')
}

/** The failures of a run, in order. Empty: there are none, or the run has no verdict about them. */
export function wrongsIn({ verdict, failures }: SeedRecord, account: Account, page: Keyed): readonly Wrong[] {
  return verdict === 'failed' ? failures.map((each) => wrongOf(each, account, page)) : []
}

function wrongOf({ code, message, atUs, place }: SeedRecord['failures'][number], account: Account, page: Keyed): Wrong {
  const where = code ?? placeIn(page, account.unmet ?? [])
  // A message that lists one node and one that lists three are of one kind.
  const said = generalised(message).replaceAll('…', '')
  return { kind: `${where}\n${said}`, text: `${code === undefined ? where : place}: ${message}`, atUs }
}

/** The place of an expectation in a page, whatever was removed before it: `step 'another one leads', eventually`. */
function placeIn(page: Keyed, [list = '', at, ...keys]: readonly (string | number)[]): string {
  const item = typeof at === 'number' ? listAt(page, String(list))[at] : undefined
  if (isKeyed(item) && typeof item['step'] === 'string') return [`step '${item['step']}'`, ...keys].join(', ')
  return [list, item === undefined ? (at ?? '') : JSON.stringify(item), ...keys].join(' ')
}
