import { z } from 'zod'
import { parseRules } from '../../../access/reading.ts'
import { lowerAscii } from '../../../base/letter-case.ts'
import { ok, type Result } from '../../../base/result.ts'
import { equalPlain } from '../../../base/shape.ts'
import type { Failure } from '../../../model/failure.ts'
import type { WriteIdentity } from '../../contract/command.ts'
import type { QueryEndpoint, WriteEndpoint } from '../../contract/endpoint.ts'
import { flagReply } from '../../contract/reply.ts'
import type { WithPlace, WithProposals, WithState } from '../../contract/server-context.ts'
import type { WithEnv } from '../../contract/surroundings.ts'
import {
  areLarge,
  batchMax,
  changedSince,
  drawnUuid,
  type InMode,
  inNewMode,
  isPrimary,
  isUuid,
  largeRulesRead,
  malformedId,
  newSystem,
  proposed,
  readsAccess,
  refused,
  writesAccess,
} from '../asked.ts'
import { policyDelete, policySet, type Written } from '../commands.ts'
import { policyFields } from '../fields.ts'
import { managementPolicyId, type PolicyRow } from '../model.ts'
import { inModeReply, malformedReply, policiesReply, policyReply } from '../replies.ts'
import { allPolicies, policiesIndex, policyById } from '../views.ts'

/** The part of the server that these endpoints use. */
type PolicyServer = WithEnv & WithState & WithProposals & WithPlace

/** The result of a lookup: `malformed` says why the ID cannot be one. */
export type PolicyFound = { readonly policy: PolicyRow | null } | { readonly malformed: string }

const idArgs = z.object({ id: z.string() })
type IdArgs = z.infer<typeof idArgs>

export const policyReadEndpoint: QueryEndpoint<IdArgs, InMode<PolicyFound>> = {
  method: 'ACL.PolicyRead',
  kind: 'query',
  args: idArgs,
  reply: inModeReply(z.union([z.object({ policy: policyReply.nullable() }), malformedReply])),
  access: readsAccess<PolicyFound>(),
  query: (tx, { id }) =>
    inNewMode(tx, () => {
      const malformed = malformedId('policy', id)
      const found = malformed === undefined ? { policy: policyById(tx, id) ?? null } : { malformed }
      return { index: policiesIndex(tx), found }
    }),
}

const batchArgs = z.object({ ids: z.array(z.string()).max(batchMax).readonly() })

/** Whole policies, for servers that replicate them; missing ones are left out. */
export const policyBatchEndpoint: QueryEndpoint<z.infer<typeof batchArgs>, InMode<readonly PolicyRow[]>> = {
  method: 'ACL.PolicyBatchRead',
  kind: 'query',
  args: batchArgs,
  reply: inModeReply(policiesReply),
  access: readsAccess<readonly PolicyRow[]>(),
  kept: false,
  query: (tx, { ids }) =>
    inNewMode(tx, () => ({ index: policiesIndex(tx), found: ids.flatMap((id) => policyById(tx, id) ?? []) })),
}

const noArgs = z.object({})

/** In order of ID, without their rules. */
export const policyListEndpoint: QueryEndpoint<z.infer<typeof noArgs>, InMode<readonly PolicyRow[]>> = {
  method: 'ACL.PolicyList',
  kind: 'query',
  args: noArgs,
  reply: inModeReply(policiesReply),
  access: readsAccess<readonly PolicyRow[]>(),
  query: (tx) =>
    inNewMode(tx, () => ({
      index: policiesIndex(tx),
      found: [...allPolicies(tx)].map((policy) => ({ ...policy, rules: '' })),
    })),
}

const { id: _id, ...given } = policyFields
/** An empty `id` creates a policy. */
const setArgs = z.object({ id: z.string(), ...given })
type SetArgs = z.infer<typeof setArgs>

export const policySetEndpoint: WriteEndpoint<SetArgs, PolicyRow, PolicyServer> = {
  method: 'ACL.PolicySet',
  kind: 'write',
  args: setArgs,
  reply: policyReply,
  access: writesAccess,
  serve: setPolicy,
  repeated: (server, args, identity) => {
    const before = server.earlier(policySet, identity)
    if (before?.ok !== true) return undefined
    const row = rowOf(server, before.value)
    return row.ok && !isAsSaid(row.value, args) ? changedSince('policy') : row
  },
}

function isAsSaid(row: PolicyRow, { name, description, rules, datacenters }: SetArgs): boolean {
  const own = { name: row.name, description: row.description, rules: row.rules, datacenters: row.datacenters }
  return equalPlain(own, { name, description, rules, datacenters })
}

async function setPolicy(
  server: PolicyServer,
  args: SetArgs,
  identity: WriteIdentity | undefined,
): Promise<Result<PolicyRow, Failure>> {
  const access = newSystem(server)
  if (!access.ok) return access
  if (!isPrimary(server, access.value)) return refused(elsewhere)
  const refusal = policyRefusal(args)
  if (refusal !== undefined) return refused(refusal)
  const { rules } = args
  const read = areLarge(rules) ? await largeRulesRead(server, rules, 'new') : parseRules(rules, 'new')
  if (!read.ok) return refused(read.error)
  const isNew = args.id === ''
  const policy = { ...args, id: isNew ? drawnUuid(server, args.name) : lowerAscii(args.id) }
  const written = await proposed(server, 'acl.policy.upsert', policySet, { policy, isNew }, identity)
  return written.ok ? rowOf(server, written.value) : written
}

function rowOf(server: WithState, written: Written): Result<PolicyRow, Failure> {
  if ('refusal' in written) return refused(written.refusal)
  const row = policyById(server.read(), written.id)
  return row === undefined ? refused(`policy ${written.id} was deleted meanwhile`) : ok(row)
}

const elsewhere = 'policies are written in the primary datacenter'
const nameShape = /^[A-Za-z0-9_-]{1,128}$/

/** The refusals that need no other policies, but for that of its rules. */
function policyRefusal({ id, name }: SetArgs): string | undefined {
  if (id !== '' && !isUuid(id)) return 'Policy ID invalid UUID'
  if (name === '') return 'Invalid Policy: no Name is set'
  if (!nameShape.test(name)) {
    return "Invalid Policy: invalid Name. Only alphanumeric characters, '-' and '_' are allowed"
  }
  return undefined
}

export const policyDeleteEndpoint: WriteEndpoint<IdArgs, boolean, PolicyServer> = {
  method: 'ACL.PolicyDelete',
  kind: 'write',
  args: idArgs,
  reply: flagReply,
  access: writesAccess,
  serve: async (server, { id }, identity) => {
    const access = newSystem(server)
    if (!access.ok) return access
    if (!isPrimary(server, access.value)) return refused(elsewhere)
    const malformed = malformedId('policy', id)
    if (malformed !== undefined) return refused(malformed)
    if (id === managementPolicyId) return refused(`Delete operation not permitted on ${builtin}`)
    // An ID that is not a UUID names nothing: it counts as deleted.
    if (!isUuid(id)) return ok(true)
    return proposed(server, 'acl.policy.delete', policyDelete, { id: lowerAscii(id) }, identity)
  },
  repeated: (server, _args, identity) => {
    const before = server.earlier(policyDelete, identity)
    return before?.ok === true ? before : undefined
  },
}

const builtin = 'the builtin global-management policy'
