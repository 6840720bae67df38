import type { Authorizer } from '../../access/authorizer.ts'
import { parseRules } from '../../access/reading.ts'
import type { Grammar, RuleSet } from '../../access/rules.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import { greater, type ModifyIndex, noChange } from '../../model/log-position.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { type Asks, asks, type Filters, filters, refusedUnlessAllowed } from '../contract/access.ts'
import { legacyModeFailure, type ServerAccess } from '../contract/access-control.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { WithPlace, WithProposals, WithServerAccess, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv } from '../contract/surroundings.ts'
import { nextTurn } from '../contract/turns.ts'
import { oneForAll } from '../contract/visible-index.ts'
import { isNewMode, newModeIndex } from './views.ts'

/**
 * The checks that all endpoints of tokens and policies share, in the field's order: the mode, then the right, then the
 * arguments.
 */

/** For endpoints of the new kind, which report a missing token or policy before a missing right. */
export const writesAccess: Asks<unknown> = asks((authorizer, _args, state) =>
  isNewMode(state) ? refusedUnlessAllowed(authorizer, 'acl', '', 'write') : undefined,
)

export const writesLegacyAccess: Asks<unknown> = asks((authorizer) =>
  refusedUnlessAllowed(authorizer, 'acl', '', 'write'),
)

/** A read of the new kind; the legacy mode has nothing to read. */
export type InMode<T> = { readonly mode: 'legacy' } | { readonly mode: 'new'; readonly found: T }

const legacyMode: InMode<never> = { mode: 'legacy' }

/** The index is at least that of the switch of modes, which changed the answer. */
export function inNewMode<T>(
  tx: ReadTransaction,
  read: () => { readonly index: ModifyIndex; readonly found: T },
): { readonly index: ModifyIndex; readonly value: InMode<T> } {
  if (!isNewMode(tx)) return { index: noChange, value: legacyMode }
  const { index, found } = read()
  return { index: greater(index, newModeIndex(tx)), value: { mode: 'new', found } }
}

/** The right to read tokens and policies; `shown` hides what a reader without the right to write may not see. */
export function readsAccess<T>(shown: (found: T) => T = (found) => found): Filters<unknown, InMode<T>> {
  return filters(
    (authorizer, value) => {
      if (value.mode === 'legacy' || authorizer.allows('acl', '', 'write')) return value
      const found = shown(value.found)
      return found === value.found ? value : { mode: 'new', found }
    },
    oneForAll('it is that of all tokens and policies, which its readers may all see'),
    (authorizer: Authorizer, _args: unknown, state: ReadTransaction) =>
      isNewMode(state) ? refusedUnlessAllowed(authorizer, 'acl', '', 'read') : undefined,
  )
}

/** The server's access control, if it is on and in the new mode. */
export function newSystem(server: WithState & WithServerAccess): Result<ServerAccess, Failure> {
  const { accessControl } = server
  if (accessControl === undefined) return err({ kind: 'access-control-off' })
  return isNewMode(server.read()) ? ok(accessControl) : err(legacyModeFailure(accessControl.missing()))
}

export function eitherSystem({ accessControl }: WithServerAccess): Result<ServerAccess, Failure> {
  return accessControl === undefined ? err({ kind: 'access-control-off' }) : ok(accessControl)
}

/** Whether writes on this server are valid in all datacenters. */
export function isPrimary({ datacenter }: WithPlace, { primaryDatacenter }: ServerAccess): boolean {
  return primaryDatacenter === datacenter
}

/** A refused request, with the message and the status that clients of the field know. */
export function refused(message: string): { readonly ok: false; readonly error: Failure } {
  return err({ kind: 'refused', message })
}

/**
 * The answer to a repeated write whose caller may have lost its rights, where the thing is no longer as the caller wrote
 * it: the caller must not see what others made of it.
 */
export function changedSince(what: 'token' | 'policy'): { readonly ok: false; readonly error: Failure } {
  const message = `the write took effect, and the ${what} was changed again since`
  return err({ kind: 'outcome-unknown', message, final: true })
}

/** Texts of rules with more characters than this take milliseconds to read, and are read in a turn of their own. */
const largeRulesLength = 32 * 1024

export function areLarge(rules: string): boolean {
  return rules.length > largeRulesLength
}

/**
 * Reads rules before they are proposed. The largest take some 20 ms. What comes before it (a body of a megabyte) and
 * after it (log, state and answer) takes about as long, so that the three are turns of the event loop.
 */
export async function largeRulesRead(
  { env }: WithEnv,
  rules: string,
  grammar: Grammar,
): Promise<Result<RuleSet, string>> {
  await nextTurn(env)
  const read = parseRules(rules, grammar)
  await nextTurn(env)
  return read
}

export function drawnUuid({ env }: WithEnv, of: string): string {
  return uuidOf(env.crypto.randomBytes(16, 'acl', of))
}

/** Maximum number of tokens or policies in one answer to a server that replicates them. */
export const batchMax = 128

/** Proposes a command and counts it, with one metric for each kind of write as in the field. */
export function proposed<Body, Outcome>(
  server: WithEnv & WithProposals,
  metric: 'acl.policy.upsert' | 'acl.policy.delete' | 'acl.token.upsert' | 'acl.token.delete' | 'acl.apply',
  command: CommandDefinition<Body, Outcome>,
  body: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<Outcome, Failure>> {
  return measured(server, metric, () => server.propose(command, body, identity))
}

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuidShape.test(text)
}

/** The field's message for a malformed ID; undefined if the ID is well-formed. */
export function malformedId(what: 'token' | 'policy', id: string): string | undefined {
  if (id.length === 36) return undefined
  return `failed acl ${what} lookup: failed acl ${what} lookup: index error: UUID must be 36 characters`
}
