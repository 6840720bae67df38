import { z } from 'zod'
import { checkedWith, isFlag, isIndex, isNumber, isOneOf, isText, listOfAll, membersAre } from '../contract/reply.ts'
import type { InMode } from './asked.ts'
import type { LegacyType, PolicyLink, PolicyRow, TokenRow } from './model.ts'

/** Schemas of what servers answer about tokens and policies. A secret may be hidden, and a legacy one is any text. */

const stamps = { hash: isText, createIndex: isIndex, modifyIndex: isIndex }

export const isToken = membersAre<TokenRow>({
  secret: isText,
  accessor: isText,
  description: isText,
  type: isOneOf<LegacyType | ''>('client', 'management', ''),
  rules: isText,
  policies: listOfAll(membersAre<PolicyLink>({ id: isText, name: isText })),
  local: isFlag,
  createdMs: isNumber,
  ...stamps,
})

export const isPolicy = membersAre<PolicyRow>({
  id: isText,
  name: isText,
  description: isText,
  rules: isText,
  datacenters: listOfAll(isText),
  ...stamps,
})

export const tokenReply = checkedWith(isToken)
export const tokensReply = checkedWith(listOfAll(isToken))
export const policyReply = checkedWith(isPolicy)
export const policiesReply = checkedWith(listOfAll(isPolicy))

/** A reply of the new kind of access control. */
export function inModeReply<T>(found: z.ZodType<T>): z.ZodType<InMode<T>> {
  return z.union([z.object({ mode: z.literal('new'), found }), z.object({ mode: z.literal('legacy') })])
}

export const malformedReply = z.object({ malformed: z.string() })
