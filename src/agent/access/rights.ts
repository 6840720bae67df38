import { z } from 'zod'
import { err, type Result } from '../../base/result.ts'
import {
  anonymousAccessor,
  anonymousSecret,
  managementPolicyId,
  rootSecrets,
  type TokenRow,
} from '../../features/acl/model.ts'
import { type Rights, rightsOf, tokenBySecret } from '../../features/acl/views.ts'
import { open } from '../../features/contract/access.ts'
import type { ServerEndpoint } from '../../features/contract/endpoint.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'

/** Maximum length of a token: bounds the keys of caches. A longer one cannot exist. */
export const tokenMax = 4_096

/** Rules that give a token rights, under a name for people. */
export interface RuleText {
  readonly policy: string
  readonly grammar: 'legacy' | 'new'
  readonly text: string
}

/** The rights of a token as agents exchange them: without its secret. */
export interface TokenRights {
  readonly accessor: string
  /** The token may do everything, whatever the rules say. */
  readonly management: boolean
  readonly rules: readonly RuleText[]
}

const tokenRights: z.ZodType<TokenRights> = z.object({
  accessor: z.string(),
  management: z.boolean(),
  rules: z.array(z.object({ policy: z.string(), grammar: z.enum(['legacy', 'new']), text: z.string() })),
})

/** The name of a legacy token's rules in a log: such a token has no name besides its secret. */
const legacyName = 'of the token itself'

/**
 * The rights in `datacenter` of the token with this secret, by the state of a server that keeps tokens; undefined if
 * the token does not exist. The empty secret is the anonymous token, which exists even if it was never created.
 */
export function rightsInState(
  tx: ReadTransaction,
  secret: string,
  { own, datacenter }: { readonly own: string; readonly datacenter: string },
): TokenRights | undefined {
  const named = secret === '' ? anonymousSecret : secret
  const token = tokenBySecret(tx, named)
  if (token === undefined) return named === anonymousSecret ? nobody : undefined
  if (token.local && own !== datacenter) return undefined
  return textsOf(token, rightsOf(tx, token, datacenter))
}

const nobody: TokenRights = { accessor: anonymousAccessor, management: false, rules: [] }

function textsOf({ accessor }: TokenRow, rights: Rights): TokenRights {
  switch (rights.kind) {
    case 'management':
      return { accessor, management: true, rules: [] }
    case 'legacy':
      return { accessor, management: false, rules: [{ policy: legacyName, grammar: 'legacy', text: rights.rules }] }
    case 'policies': {
      const { policies } = rights
      // The policy that grants everything needs no rules, unless another policy denies something.
      if (policies.length === 1 && policies[0]?.id === managementPolicyId) {
        return { accessor, management: true, rules: [] }
      }
      const rules = policies.map(({ name, rules: text }) => ({ policy: name, grammar: 'new' as const, text }))
      return { accessor, management: false, rules }
    }
  }
}

export function sameRights(a: TokenRights, b: TokenRights): boolean {
  return (
    a.accessor === b.accessor &&
    a.management === b.management &&
    a.rules.length === b.rules.length &&
    a.rules.every((rule, at) => {
      const other = b.rules[at]
      return rule.policy === other?.policy && rule.grammar === other.grammar && rule.text === other.text
    })
  )
}

/**
 * Secrets that no token can have: reserved names of policies, and secrets over the length limit. Reference:
 * access-control.md#token-reserved.
 */
export function refusedSecret(secret: string): Result<never, Failure> | undefined {
  if (rootSecrets.includes(secret)) return err({ kind: 'refused', message: 'Cannot resolve root ACL' })
  return secret.length > tokenMax ? err({ kind: 'token-not-found' }) : undefined
}

const rightsArgs = z.object({
  secret: z.string().max(tokenMax),
  /** The datacenter where the rights are used: a policy may be limited to some datacenters. */
  datacenter: z.string().max(128),
})

export type RightsQuestion = z.infer<typeof rightsArgs>

/** `ageMs` is how long ago these rights may have changed. */
export interface ToldRights {
  readonly rights: TokenRights
  readonly ageMs: number
}

const toldRights: z.ZodType<ToldRights> = z.object({ rights: tokenRights, ageMs: z.number().nonnegative() })

/**
 * Lets agents that keep no tokens ask any server for the rights of a token; that server asks on in the primary
 * datacenter for a token that it does not know. For a legacy token the answer contains its rules, so that servers of
 * all releases answer it alike.
 */
export function rightsEndpoint(
  tell: (question: RightsQuestion) => Promise<Result<ToldRights, Failure>>,
): ServerEndpoint<RightsQuestion, ToldRights, unknown> {
  return {
    method: 'ACL.GetPolicy',
    kind: 'server',
    args: rightsArgs,
    reply: toldRights,
    leader: false,
    access: open('a caller with a secret may know what it permits'),
    serve: (_server, question) => tell(question),
  }
}
