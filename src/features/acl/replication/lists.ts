import { ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../../model/log-position.ts'
import { legacyListEndpoint } from '../legacy/legacy-endpoints.ts'
import type { PolicyRow, TokenRow } from '../model.ts'
import { policyListEndpoint } from '../tokens/policy-endpoints.ts'
import { tokenListEndpoint } from '../tokens/token-endpoints.ts'
import { askNewPrimary, askPrimary, type Round, type Told } from './asking-primary.ts'
import { legacyPageEndpoint, type Page, pageOrder, policyPageEndpoint, tokenPageEndpoint } from './page-endpoints.ts'

/** A whole list of the primary datacenter. */
export type Listed<Entry> = Pick<Page<Entry>, 'entries' | 'hasUnnamed'>

type ToldPage<Entry> = Promise<Result<Told<Listed<Entry> & Partial<Page<Entry>>>, Failure>>

/** How a list is read: in pages, or as a whole from servers of builds without pages, which say so. */
interface Reads<Entry> {
  readonly method: string
  nameOf(entry: Entry): string
  page(args: { readonly after: string; readonly bytesMax: number }, waitAfter: ModifyIndex): ToldPage<Entry>
  whole(waitAfter: ModifyIndex): ToldPage<Entry>
}

/** Without their rules. `waitAfter` is an index; 0 does not wait. */
export function listedPolicies(
  round: Round,
  waitAfter: ModifyIndex,
): Promise<Result<Told<Listed<PolicyRow>>, Failure>> {
  return listed(round, waitAfter, {
    method: policyPageEndpoint.method,
    nameOf: ({ id }) => id,
    page: (args, wait) => askNewPrimary(round, policyPageEndpoint, args, wait),
    whole: async (wait) => {
      const list = await askNewPrimary(round, policyListEndpoint, {}, wait)
      if (!list.ok) return list
      return ok({ found: { entries: list.value.found, hasUnnamed: false }, index: list.value.index })
    },
  })
}

/** Global tokens that have an accessor, without secrets and rules. */
export function listedTokens(round: Round, waitAfter: ModifyIndex): Promise<Result<Told<Listed<TokenRow>>, Failure>> {
  return listed(round, waitAfter, {
    method: tokenPageEndpoint.method,
    nameOf: ({ accessor }) => accessor,
    page: (args, wait) => askNewPrimary(round, tokenPageEndpoint, args, wait),
    whole: async (wait) => {
      const list = await askNewPrimary(round, tokenListEndpoint, { policy: '' }, wait)
      if (!list.ok) return list
      const global = list.value.found.filter(({ local }) => !local)
      const entries = global.filter(({ accessor }) => accessor !== '')
      return ok({ found: { entries, hasUnnamed: entries.length < global.length }, index: list.value.index })
    },
  })
}

/** Legacy tokens, with everything. */
export function listedLegacy(round: Round, waitAfter: ModifyIndex): Promise<Result<Told<Listed<TokenRow>>, Failure>> {
  return listed(round, waitAfter, {
    method: legacyPageEndpoint.method,
    nameOf: ({ secret }) => secret,
    page: async (args, wait) => {
      const answer = await askPrimary(round, legacyPageEndpoint, args, wait)
      return answer.ok ? ok({ found: answer.value.value, index: answer.value.meta.index }) : answer
    },
    whole: async (wait) => {
      const answer = await askPrimary(round, legacyListEndpoint, {}, wait)
      if (!answer.ok) return answer
      return ok({ found: { entries: answer.value.value, hasUnnamed: false }, index: answer.value.meta.index })
    },
  })
}

/**
 * The index is that of the first page: what changed while the further pages were read is looked at by the next round.
 * If leadership ends meanwhile, the list may be incomplete.
 */
async function listed<Entry>(
  { over, pageBytes: bytesMax }: Round,
  waitAfter: ModifyIndex,
  { method, nameOf, page, whole }: Reads<Entry>,
): Promise<Result<Told<Listed<Entry>>, Failure>> {
  const entries: Entry[] = []
  let index: ModifyIndex | undefined
  let hasUnnamed = false
  for (let after = ''; ; ) {
    const wait = index === undefined ? waitAfter : noChange
    const told = await page({ after, bytesMax }, wait)
    if (!told.ok) return told.error.kind === 'unknown-method' ? whole(wait) : told
    const { found } = told.value
    index ??= told.value.index
    hasUnnamed ||= found.hasUnnamed
    for (const entry of found.entries) entries.push(entry)
    const last = found.entries.at(-1)
    if (found.isLast === true || over()) return ok({ found: { entries, hasUnnamed }, index })
    // A page that brings the list no further would be asked for again and again.
    const isFurther = last !== undefined && (after === '' || pageOrder(nameOf(last)) > pageOrder(after))
    if (!isFurther) return { ok: false, error: { kind: 'malformed-answer', method } }
    after = nameOf(last)
  }
}
