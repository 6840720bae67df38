import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import type { ReadTransaction } from '../../store/types.ts'
import { type Asks, asks, type Filters, filters, refusedUnlessAllowed } from '../contract/access.ts'
import { legacyModeFailure, type ServerAccess } from '../contract/access-control.ts'
import { measured } from '../contract/measured.ts'
import type { CommandDefinition, ServerContext, WriteIdentity } from '../contract/server-context.ts'
import { oneForAll } from '../contract/visible-index.ts'
import { isNewMode, newModeIndex } from './views.ts'

/** What all endpoints of tokens and policies ask, in the order of the field: the mode, then the right, then what was meant. */

/** Of an endpoint of the new kind, which says that there is none before it says who may not. */
export const writesAccess: Asks<unknown> = asks((authorizer, _args, state) =>
  isNewMode(state) ? refusedUnlessAllowed(authorizer, 'acl', '', 'write') : undefined,
)

export const writesLegacyAccess: Asks<unknown> = asks((authorizer) =>
  refusedUnlessAllowed(authorizer, 'acl', '', 'write'),
)

/** A read of the new kind: there is nothing to read in the legacy mode. */
export type InMode<T> = { readonly mode: 'legacy' } | { readonly mode: 'new'; readonly found: T }

const legacyMode: InMode<never> = { mode: 'legacy' }

/** The index is at least that of the mode, with which the answer changed. */
export function inNewMode<T>(
  tx: ReadTransaction,
  read: () => { readonly index: number; readonly found: T },
): { readonly index: number; readonly value: InMode<T> } {
  if (!isNewMode(tx)) return { index: 0, value: legacyMode }
  const { index, found } = read()
  return { index: Math.max(index, newModeIndex(tx)), value: { mode: 'new', found } }
}

/** Who may read tokens and policies; `shown`: what of it goes to a reader who may not write. */
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

/** What the server knows of access control, where it is on, and of the new kind. */
export function newSystem(server: ServerContext): Result<ServerAccess, Failure> {
  const { accessControl } = server
  if (accessControl === undefined) return err({ kind: 'access-control-off' })
  return isNewMode(server.read()) ? ok(accessControl) : err(legacyModeFailure(accessControl.missing()))
}

export function eitherSystem({ accessControl }: ServerContext): Result<ServerAccess, Failure> {
  return accessControl === undefined ? err({ kind: 'access-control-off' }) : ok(accessControl)
}

/** What is written there holds everywhere. */
export function isPrimary({ datacenter }: ServerContext, { primaryDatacenter }: ServerAccess): boolean {
  return primaryDatacenter === datacenter
}

/** A wish that does not hold, with the line and the status that clients of the field know. */
export function refused(message: string): { readonly ok: false; readonly error: Failure } {
  return err({ kind: 'refused', message })
}

export function drawnUuid({ env }: ServerContext): string {
  return uuidOf(env.crypto.randomBytes(16))
}

/** Tokens or policies in one answer to who copies them. */
export const batchMax = 128

/** A metric for each kind of write, as the field has them. */
export function proposed<Body, Outcome>(
  server: ServerContext,
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

/** What the field's store says of a key that cannot be one; undefined: it can. */
export function malformedId(what: 'token' | 'policy', id: string): string | undefined {
  if (id.length === 36) return undefined
  return `failed acl ${what} lookup: failed acl ${what} lookup: index error: UUID must be 36 characters`
}
