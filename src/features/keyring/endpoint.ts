import { z } from 'zod'
import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { err, ok } from '../../base/result.ts'
import type { KeyAnswers, KeyRequest } from '../../gossip/pool.ts'
import type { Failure } from '../../model/failure.ts'
import { refusedUnlessAllowed, tellDenied, within } from '../contract/access.ts'
import type { ServerEndpoint } from '../contract/endpoint.ts'
import { count } from '../contract/fields.ts'
import type { WithDatacenters, WithPlace, WithPoolKeys } from '../contract/server-context.ts'
import type { WithEnv } from '../contract/surroundings.ts'
import { datacentersByDistance } from '../discovery/datacenters.ts'
import { relayFactorMax } from './model.ts'

/** The part of the server that these endpoints use. */
type KeyringServer = WithEnv & WithPoolKeys & WithPlace & WithDatacenters

const poolKeysReply = z.object({
  answers: z
    .object({
      nodes: count,
      answered: count,
      errors: z.array(z.tuple([z.string(), z.string()])),
      keys: z.array(z.tuple([z.string(), count])),
    })
    .nullable(),
  elsewhere: z.array(z.string()),
})

const keyArgs = z.object({
  pool: z.enum(['lan', 'wan']),
  action: z.enum(['list', 'install', 'use', 'remove']),
  /** In base64; absent for a list. */
  key: z.string(),
  relayFactor: z.number().int().min(0).max(relayFactorMax),
})

export type KeyArgs = z.infer<typeof keyArgs>

export interface PoolKeysReply {
  /** Null: the server is not in that pool. */
  readonly answers: KeyAnswers | null
  /** Datacenters whose pools only their own servers can ask, the nearest first. */
  readonly elsewhere: readonly string[]
}

export function keysRefused(authorizer: Authorizer, action: KeyRequest['action']): Ask | undefined {
  return refusedUnlessAllowed(authorizer, 'keyring', '', action === 'list' ? 'read' : 'write')
}

/** Clients of the field know these lines and their status. Reference: operator.md#keyring-refusals. */
export function keysDenied({ right }: Ask): Failure {
  const message = right === 'read' ? 'Reading keyring denied by ACLs' : 'Modifying keyring denied due to ACLs'
  return { kind: 'refused', message }
}

/** Asks every member of one of the server's pools to perform an operation on its keys. */
export const poolKeysEndpoint: ServerEndpoint<KeyArgs, PoolKeysReply, KeyringServer> = {
  method: 'Internal.KeyringOperation',
  kind: 'server',
  args: keyArgs,
  reply: poolKeysReply,
  leader: false,
  access: within('its refusals have their own texts'),
  serve: async (server, { pool, action, key, relayFactor }, authorizer) => {
    const refused = keysRefused(authorizer, action)
    if (refused !== undefined) {
      tellDenied(server.env, authorizer, refused, 'Internal.KeyringOperation')
      return err(keysDenied(refused))
    }
    const request: KeyRequest = action === 'list' ? { action, relayFactor } : { action, key, relayFactor }
    const asked = await server.keys(pool, request)
    if (asked?.ok === false) return err({ kind: 'bad-request', message: asked.error })
    const wan = server.wan()
    const own = server.datacenter
    const elsewhere = wan === undefined ? [] : datacentersByDistance(wan, own).filter((one) => one !== own)
    return ok({ answers: asked?.value ?? null, elsewhere })
  },
}
