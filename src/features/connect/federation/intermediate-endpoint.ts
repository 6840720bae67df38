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

/** Maximum number of bytes of a signing request. */
const requestMax = 32_768

const authorityArgs = z.object({ csr: z.string().max(requestMax), datacenter: z.string().min(1).max(255) })

/**
 * Signs an authority for a secondary datacenter, at the request of its leader. It requires the right to write
 * `operator`, and no less: the holder can sign for every service of the mesh, which equals the power of a caller that
 * may change the root, and exceeds every right to services. No lesser resource of the field's rules concerns the
 * authority. It requires no more: a replication token with that right alone suffices (docs/mesh.md). Reference:
 * access-control.md#resource-operator, mesh.md#put-v1-connect-ca-configuration.
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
    // Requests are rare, so the provider is opened for each one.
    const providers = new OpenProviders(parts)
    const signed = await signAuthority(parts, providers, asked)
    providers.close()
    return signed
  },
}
