import { z } from 'zod'
import { byteString } from '../../../base/bytes.ts'
import { filters, refusedUnlessAllowed } from '../../contract/access.ts'
import type { QueryEndpoint } from '../../contract/endpoint.ts'
import { isFlag, listOfAll, membersAre, replyWith } from '../../contract/reply.ts'
import { oneForAll } from '../../contract/visible-index.ts'
import { type InMode, inNewMode, readsAccess } from '../asked.ts'
import type { PolicyRow, TokenRow } from '../model.ts'
import { inModeReply, isPolicy, isToken } from '../replies.ts'
import { tokensTable } from '../tables.ts'
import { allPolicies, allTokens, policiesIndex, tokensIndex } from '../views.ts'

/**
 * Lists in pages, for servers that replicate them: a whole list may be longer than an answer between agents. Pages of
 * one list may be of different states. An entry that exists from the first page to the last is on one of them
 * nevertheless, because the name by which a list is ordered never changes.
 */

/** Maximum size of a page, as estimated below; an answer between agents holds twice as much. */
export const pageBytesMax = 4 << 20

/** A part of a list, in order of the entries' names. */
export interface Page<Entry> {
  readonly entries: readonly Entry[]
  /** Whether nothing follows. */
  readonly isLast: boolean
  /** Whether there are global tokens without an accessor, which are on no page. */
  readonly hasUnnamed: boolean
}

const pageArgs = z.object({
  /** The name after which the page begins; empty: the first page. */
  after: z.string(),
  bytesMax: z.number().int().min(1),
})
type PageArgs = z.infer<typeof pageArgs>

const tokenPageReply = membersAre<Page<TokenRow>>({ entries: listOfAll(isToken), isLast: isFlag, hasUnnamed: isFlag })
const policyPageReply = membersAre<Page<PolicyRow>>({
  entries: listOfAll(isPolicy),
  isLast: isFlag,
  hasUnnamed: isFlag,
})

/** Policies in order of ID, without their rules. */
export const policyPageEndpoint: QueryEndpoint<PageArgs, InMode<Page<PolicyRow>>> = {
  method: 'ACL.PolicyPage',
  kind: 'query',
  args: pageArgs,
  reply: inModeReply(replyWith(policyPageReply)),
  access: readsAccess<Page<PolicyRow>>(),
  kept: false,
  query: (tx, args) =>
    inNewMode(tx, () => {
      const page = pageOf(allPolicies(tx), ({ id }) => id, policyBytes, args)
      const entries = page.entries.map((policy) => ({ ...policy, rules: '' }))
      return { index: policiesIndex(tx), found: { ...page, entries } }
    }),
}

/** Global tokens that have an accessor, in order of it, without secrets and rules. */
export const tokenPageEndpoint: QueryEndpoint<PageArgs, InMode<Page<TokenRow>>> = {
  method: 'ACL.TokenPage',
  kind: 'query',
  args: pageArgs,
  reply: inModeReply(replyWith(tokenPageReply)),
  access: readsAccess<Page<TokenRow>>(),
  kept: false,
  query: (tx, args) =>
    inNewMode(tx, () => {
      let hasUnnamed = false
      const named = those(allTokens(tx), ({ local, accessor }) => {
        if (!local && accessor === '') hasUnnamed = true
        return !local && accessor !== ''
      })
      const page = pageOf(named, ({ accessor }) => accessor, tokenBytes, args)
      const entries = page.entries.map((token) => ({ ...token, secret: '', rules: '' }))
      return { index: tokensIndex(tx), found: { ...page, entries, hasUnnamed } }
    }),
}

/** Legacy tokens in order of their secrets, which are shown: they are the IDs. */
export const legacyPageEndpoint: QueryEndpoint<PageArgs, Page<TokenRow>> = {
  method: 'ACL.LegacyPage',
  kind: 'query',
  args: pageArgs,
  reply: replyWith(tokenPageReply),
  access: filters(
    (_authorizer, page) => page,
    oneForAll('nothing is left out'),
    (authorizer) => refusedUnlessAllowed(authorizer, 'acl', '', 'write'),
  ),
  kept: false,
  query: (tx, args) => {
    const legacy = those(tx.all(tokensTable), ({ type }) => type !== '')
    return { index: tokensIndex(tx), value: pageOf(legacy, ({ secret }) => secret, legacyTokenBytes, args) }
  },
}

function* those<Row>(rows: Iterable<Row>, are: (row: Row) => boolean): Generator<Row> {
  for (const row of rows) if (are(row)) yield row
}

/** At least one entry, whatever its size, so that each page brings the list further. */
function pageOf<Entry>(
  all: Iterable<Entry>,
  nameOf: (entry: Entry) => string,
  bytesOf: (entry: Entry) => number,
  { after, bytesMax }: PageArgs,
): Page<Entry> {
  const begin = pageOrder(after)
  const limit = Math.min(bytesMax, pageBytesMax)
  const entries: Entry[] = []
  let bytes = 0
  for (const entry of all) {
    if (after !== '' && pageOrder(nameOf(entry)) <= begin) continue
    bytes += bytesOf(entry)
    if (entries.length > 0 && bytes > limit) return { entries, isLast: false, hasUnnamed: false }
    entries.push(entry)
  }
  return { entries, isLast: true, hasUnnamed: false }
}

/** Names compare as the keys of tables do, in which a legacy secret may be any text. */
export function pageOrder(name: string): string {
  return byteString(name)
}

/** Room for the names of the members and for the numbers, and for what precedes each text. */
const entryBytes = 320
const linkBytes = 16
/** UTF-8 takes at most this much for a character of a text. */
const characterBytes = 3

function legacyTokenBytes(token: TokenRow): number {
  return tokenBytes(token) + (token.secret.length + token.rules.length) * characterBytes
}

function tokenBytes({ accessor, description, hash, policies }: TokenRow): number {
  let characters = accessor.length + description.length + hash.length
  for (const { id, name } of policies) characters += id.length + name.length
  return entryBytes + policies.length * linkBytes + characters * characterBytes
}

function policyBytes({ id, name, description, datacenters, hash }: PolicyRow): number {
  let characters = id.length + name.length + description.length + hash.length
  for (const datacenter of datacenters) characters += datacenter.length
  return entryBytes + datacenters.length * linkBytes + characters * characterBytes
}
