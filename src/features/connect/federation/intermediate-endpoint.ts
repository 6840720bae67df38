import { z } from 'zod'
import { err } from '../../../base/result.ts'
import { asks, refusedUnlessAllowed } from '../../contract/access.ts'
import type { WriteEndpoint } from '../../contract/server-context.ts'
import type { SignedAuthority } from '../model.ts'
import { OpenProviders } from '../provider/open-providers.ts'
import { providerKinds } from '../provider/providers.ts'
import { meshIsOff } from '../read-endpoints.ts'
import { partsOf } from '../settings.ts'
import { signAuthority } from './intermediates.ts'

/** Bytes of a request for a certificate. */
const requestMax = 32_768

const authorityArgs = z.object({ csr: z.string().max(requestMax), datacenter: z.string().min(1).max(255) })

/**
 * An authority for a secondary datacenter, asked for by its leader. Why it takes the right to write `operator`, and no less will do: whoever
 * holds it signs for every service of the mesh, unasked, which is what whoever may change the root can have, too, and what no right to
 * services gives. No lesser resource of the field's rules is about the authority. It takes no more: a replication token with that alone is
 * enough (docs/mesh.md). Reference: access-control.md#resource-operator, mesh.md#put-v1-connect-ca-configuration.
 */
export const signIntermediateEndpoint: WriteEndpoint<z.infer<typeof authorityArgs>, SignedAuthority> = {
  method: 'ConnectCA.SignIntermediate',
  kind: 'write',
  args: authorityArgs,
  access: asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'write')),
  serve: async (server, asked) => {
    const off = meshIsOff(server)
    if (off !== undefined) return err(off)
    const parts = partsOf(server, providerKinds)
    // Rare enough that what it needs is opened for it alone.
    const providers = new OpenProviders(parts)
    const signed = await signAuthority(parts, providers, asked)
    providers.close()
    return signed
  },
}
