import { z } from 'zod'
import { releaseOf } from '../../model/release.ts'
import { type CommandDefinition, withShortRefusal } from '../contract/command.ts'
import { idOrRefusal } from '../contract/fields.ts'
import { policyFields, policyLinks, tokenFields, uuid } from './fields.ts'
import { anonymousAccessor, managementPolicyId } from './model.ts'
import { policiesTable, secretKey, tokensTable } from './tables.ts'
import { policyById, policyByName, tokenByAccessor, tokenBySecret } from './views.ts'
import { linked, type PolicyContent, putPolicy, putToken } from './writes.ts'

/** The release that brought tokens and policies of the new kind. */
export const newSystemSince = releaseOf('tokens-and-policies')

/** A refusal contains the message that clients of the field know. */
export type Written = { readonly id: string } | { readonly refusal: string }

const policySetBody = z.strictObject({ policy: z.strictObject(policyFields), isNew: z.boolean() })

/** `isNew`: the leader has drawn the ID, and no policy has it yet; otherwise the whole policy is replaced. */
export const policySet: CommandDefinition<z.infer<typeof policySetBody>, Written> = {
  kind: 'acl.policy-set',
  outcome: idOrRefusal,
  since: newSystemSince,
  body: policySetBody,
  apply: (tx, { policy, isNew }) => {
    const before = policyById(tx, policy.id)
    if (isNew && before !== undefined) return { refusal: `there is a policy of the ID ${policy.id} already` }
    if (!isNew && before === undefined) return { refusal: `cannot find policy ${policy.id}` }
    const namesake = policyByName(tx, policy.name)
    if (namesake !== undefined && namesake.id !== policy.id) {
      return { refusal: `Invalid Policy: A Policy with Name ${JSON.stringify(policy.name)} already exists` }
    }
    const refusal = before?.id === managementPolicyId ? builtinRefusal(before, policy) : undefined
    if (refusal !== undefined) return { refusal }
    putPolicy(tx, policy)
    return { id: policy.id }
  },
}

/** The built-in policy may be renamed, and nothing else may change. */
function builtinRefusal(before: PolicyContent, { rules, datacenters }: PolicyContent): string | undefined {
  const what = rules === before.rules ? (datacenters.length === 0 ? '' : 'Datacenters') : 'Rules'
  const of = what === 'Rules' ? 'for' : 'of'
  return what === '' ? undefined : `Changing the ${what} ${of} the builtin global-management policy is not permitted`
}

const policyDeleteBody = z.strictObject({ id: uuid })

/** Tokens keep links to the deleted policy, which grant nothing. */
export const policyDelete: CommandDefinition<z.infer<typeof policyDeleteBody>, boolean> = {
  kind: 'acl.policy-delete',
  outcome: z.boolean(),
  since: newSystemSince,
  body: policyDeleteBody,
  apply: (tx, { id }) => {
    if (id !== managementPolicyId) tx.delete(policiesTable, id)
    return true
  },
}

const { secret, description, local, createdMs } = tokenFields
/** Policies may be linked by name alone: the name is resolved when the command is applied. */
const named = { description, local, policies: policyLinks }

const tokenCreateBody = z.strictObject({ accessor: uuid, secret, createdMs, ...named })

/** The leader has drawn accessor and secret. */
export const tokenCreate: CommandDefinition<z.infer<typeof tokenCreateBody>, Written> = {
  kind: 'acl.token-create',
  outcome: idOrRefusal,
  remembered: withShortRefusal,
  since: newSystemSince,
  body: tokenCreateBody,
  apply: (tx, body) => {
    if (tokenByAccessor(tx, body.accessor) !== undefined || tokenBySecret(tx, body.secret) !== undefined) {
      return { refusal: `there is a token of the ID ${body.accessor} already` }
    }
    const found = linked(tx, body.policies)
    if ('refusal' in found) return found
    putToken(tx, { ...body, policies: found.links, type: '', rules: '' })
    return { id: body.accessor }
  },
}

const tokenUpdateBody = z.strictObject({ accessor: uuid, ...named })

/**
 * Replaces everything but the secret. A legacy token becomes one of the new kind: its rules are dropped, and its
 * policies count.
 */
export const tokenUpdate: CommandDefinition<z.infer<typeof tokenUpdateBody>, Written> = {
  kind: 'acl.token-update',
  outcome: idOrRefusal,
  remembered: withShortRefusal,
  since: newSystemSince,
  body: tokenUpdateBody,
  apply: (tx, { accessor, description, local, policies }) => {
    const before = tokenByAccessor(tx, accessor)
    if (before === undefined) return { refusal: `Cannot find token ${JSON.stringify(accessor)}` }
    if (before.local !== local) return { refusal: `cannot toggle local mode of ${accessor}` }
    const found = linked(tx, policies)
    if ('refusal' in found) return found
    const { secret, createdMs } = before
    putToken(tx, { accessor, secret, createdMs, description, local, policies: found.links, type: '', rules: '' })
    return { id: accessor }
  },
}

const tokenDeleteBody = z.strictObject({ accessor: uuid })

/** A token that does not exist counts as deleted. */
export const tokenDelete: CommandDefinition<z.infer<typeof tokenDeleteBody>, boolean> = {
  kind: 'acl.token-delete',
  outcome: z.boolean(),
  since: newSystemSince,
  body: tokenDeleteBody,
  apply: (tx, { accessor }) => {
    const token = accessor === anonymousAccessor ? undefined : tokenByAccessor(tx, accessor)
    if (token !== undefined) tx.delete(tokensTable, secretKey(token.secret))
    return true
  },
}
