import { z } from 'zod'
import { err } from '../../base/result.ts'
import { asks, refusedUnlessAllowed, within } from '../contract/access.ts'
import type { ServerEndpoint, WriteEndpoint } from '../contract/endpoint.ts'
import { count } from '../contract/fields.ts'
import type { WithMeshSettings } from '../contract/mesh.ts'
import { flagReply } from '../contract/reply.ts'
import type { WithDuties } from '../contract/server-context.ts'
import { authorityDuty } from './duty.ts'
import { options } from './fields.ts'
import type { AuthorityForecast, IssuedLeaf } from './model.ts'
import { readOptions } from './options.ts'
import { meshIsOff } from './read-endpoints.ts'
import { authorityForecast, issuedLeaf } from './replies.ts'

const configurationArgs = z.object({
  provider: z.string(),
  options,
  /** Only if the configuration has this ModifyIndex. */
  onlyAt: count.optional(),
  /** A rotation omits the old root's signature. */
  uncrossed: z.boolean().optional(),
})

/**
 * Replaces the configuration; returns true when it is in effect, after the rotation that it may need. False: the
 * configuration does not have the index of `onlyAt`.
 */
export const configurationSetEndpoint: WriteEndpoint<
  z.infer<typeof configurationArgs>,
  boolean,
  WithDuties & WithMeshSettings
> = {
  method: 'ConnectCA.ConfigurationSet',
  kind: 'write',
  args: configurationArgs,
  reply: flagReply,
  access: asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'write')),
  serve: async (server, { provider, options: wished, onlyAt, uncrossed = false }, identity) => {
    const off = meshIsOff(server)
    if (off !== undefined) return err(off)
    const read = readOptions(wished)
    if (!read.ok) return err({ kind: 'bad-request', message: `error configuring provider: ${read.error}` })
    const authority = server.duty(authorityDuty)
    if (authority === undefined) return err({ kind: 'not-leader', leader: undefined })
    return authority.update({ provider, options: read.value, onlyAt: onlyAt ?? null, uncrossed }, identity)
  },
}

/** Maximum number of bytes of a signing request. */
const requestMax = 32_768

const signArgs = z.object({
  /** PEM. Only its key and its one service name are used. */
  csr: z.string().max(requestMax),
})

export const signEndpoint: WriteEndpoint<z.infer<typeof signArgs>, IssuedLeaf, WithDuties & WithMeshSettings> = {
  method: 'ConnectCA.Sign',
  kind: 'write',
  args: signArgs,
  reply: issuedLeaf,
  access: within('the request says for which service it is'),
  serve: async (server, { csr }, _identity, authorizer) => {
    const off = meshIsOff(server)
    if (off !== undefined) return err(off)
    const authority = server.duty(authorityDuty)
    if (authority === undefined) return err({ kind: 'not-leader', leader: undefined })
    return authority.sign(csr, authorizer)
  },
}

const noArgs = z.object({})

export const forecastEndpoint: ServerEndpoint<
  z.infer<typeof noArgs>,
  AuthorityForecast,
  WithDuties & WithMeshSettings
> = {
  method: 'ConnectCA.Forecast',
  kind: 'server',
  args: noArgs,
  reply: authorityForecast,
  leader: true,
  access: asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'read')),
  serve: async (server) => {
    const off = meshIsOff(server)
    if (off !== undefined) return err(off)
    const authority = server.duty(authorityDuty)
    if (authority === undefined) return err({ kind: 'not-leader', leader: undefined })
    return { ok: true, value: authority.forecast() }
  },
}
