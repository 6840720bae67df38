import { z } from 'zod'
import type { Failure } from '../../model/failure.ts'
import { noChange } from '../../model/log-position.ts'
import { svcNaming } from '../../model/naming/naming.ts'
import { asks, open, refusedUnlessAllowed } from '../contract/access.ts'
import type { QueryEndpoint } from '../contract/endpoint.ts'
import type { WithMeshSettings } from '../contract/mesh.ts'
import type { RootsList, ShownConfiguration } from './model.ts'
import { shownOptions } from './options.ts'
import { kindNamed } from './provider/provider.ts'
import { providerKinds } from './provider/providers.ts'
import { rootsListReply, shownConfiguration } from './replies.ts'
import { authorityOf, rootsIndex, rootsList } from './views.ts'

const noArgs = z.object({})

/** Reference: mesh.md#feature-switch. */
export function meshIsOff({ mesh }: WithMeshSettings): Failure | undefined {
  if (mesh?.enabled === true) return undefined
  return { kind: 'mesh-off' }
}

/** The trusted roots. Every agent waits for them to change. */
export const rootsEndpoint: QueryEndpoint<z.infer<typeof noArgs>, RootsList> = {
  method: 'ConnectCA.Roots',
  kind: 'query',
  args: noArgs,
  reply: rootsListReply,
  access: open('certificates of authorities are public, and every proxy needs them'),
  unavailable: meshIsOff,
  query: (tx) => ({ index: rootsIndex(tx), value: rootsList(tx) }),
}

/** `null`: the authority has not begun yet. */
export const configurationGetEndpoint: QueryEndpoint<z.infer<typeof noArgs>, ShownConfiguration | null> = {
  method: 'ConnectCA.ConfigurationGet',
  kind: 'query',
  args: noArgs,
  reply: shownConfiguration.nullable(),
  access: asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'read')),
  unavailable: meshIsOff,
  query: (tx) => {
    const row = authorityOf(tx)
    if (row === undefined) return { index: noChange, value: null }
    const { provider, options, createIndex, modifyIndex } = row
    const kinds = providerKinds(svcNaming)
    // The secret options of a kind that this release does not know are unknown, and other kinds may have left an option
    // behind: both are hidden.
    const isKnown = kindNamed(kinds, provider) !== undefined
    const secrets = isKnown ? kinds.flatMap(({ secretOptions }) => secretOptions) : Object.keys(options)
    return {
      index: modifyIndex,
      value: { provider, options: shownOptions(options, secrets), createIndex, modifyIndex },
    }
  },
}
