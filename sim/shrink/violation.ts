import { generalised } from '../campaign/fingerprint.ts'
import type { SeedRecord } from '../report/seed-record.ts'
import type { Account } from '../scenario/account.ts'
import { isKeyed, type Keyed, listAt } from './page.ts'

/** Something that a run did wrong. */
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

/** What a run did wrong, in its order. Empty: nothing, or it came to no verdict on that. */
export function wrongsIn({ verdict, failures }: SeedRecord, account: Account, page: Keyed): readonly Wrong[] {
  return verdict === 'failed' ? failures.map((each) => wrongOf(each, account, page)) : []
}

function wrongOf({ code, message, atUs, place }: SeedRecord['failures'][number], account: Account, page: Keyed): Wrong {
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
