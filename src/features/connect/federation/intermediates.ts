import { z } from 'zod'
import { equalBytes } from '../../../base/bytes.ts'
import { err, ok, type Result } from '../../../base/result.ts'
import type { Failure } from '../../../model/failure.ts'
import { type Certificate, readCertificates } from '../../../pki/certificate.ts'
import { readRequest } from '../../../pki/request.ts'
import { signingUri } from '../../../pki/spiffe.ts'
import type { ReadTransaction } from '../../../store/types.ts'
import { asks, refusedUnlessAllowed } from '../../contract/access.ts'
import type { WriteEndpoint } from '../../contract/endpoint.ts'
import type { WithDatacenters, WithPlace, WithProposals } from '../../contract/server-context.ts'
import { recordLeaves } from '../commands.ts'
import { wholeSecond } from '../forecast.ts'
import { endToAskFor, recordLonger } from '../leaves/ends.ts'
import { leafLeftMinMs, leafWithinMs, livesOfLeaf } from '../limits.ts'
import type { SignedAuthority } from '../model.ts'
import { leafTtlMs } from '../options.ts'
import { type AuthorityParts, type AuthorityServer, partsOf } from '../parts.ts'
import { OpenProviders } from '../provider/open-providers.ts'
import { providedWithin } from '../provider/provider.ts'
import { providerKinds } from '../provider/providers.ts'
import { meshIsOff } from '../read-endpoints.ts'
import { signedAuthority } from '../replies.ts'
import { chainOf, leavesOf } from '../views.ts'

/**
 * The authority is renewed when less than this fraction of its own lifetime is left: leaves with the present lifetime
 * are not cut short. The fraction is not of a leaf's lifetime here, which may exceed that of the authority.
 */
export const renewedWithLeft = 2 / livesOfLeaf

/**
 * Signs the authority of another datacenter. It is recorded as if it were a leaf of that datacenter: nothing that it
 * signs outlives it, so the root stays for as long as any of its leaves, whether or not that datacenter can be reached
 * later.
 */
export async function signAuthority(
  parts: AuthorityParts,
  providers: OpenProviders,
  { csr, datacenter }: { readonly csr: string; readonly datacenter: string },
): Promise<Result<SignedAuthority, Failure>> {
  const { server } = parts
  const { env } = server
  if (server.mesh?.federates === false) return refused(forItselfLine)
  const request = readRequest(csr, env.crypto)
  if (!request.ok) return err({ kind: 'bad-request', message: `failed to parse CSR: ${request.error}` })
  if (!isKnownElsewhere(server, datacenter)) {
    return err({
      kind: 'bad-request',
      message: `no other datacenter of the name ${JSON.stringify(datacenter)} is known here`,
    })
  }
  const tx = server.read()
  const signer = await providers.active(tx)
  if (!signer.ok) return refused(signer.error.message)
  const { root, authority, provider } = signer.value
  if (authority.primary !== '') return refused('roots are those of the primary datacenter')
  // A provider may sign the content of the request as it is.
  const [uri, second] = request.value.uris
  if (uri !== signingUri(authority.trustDomain) || second !== undefined) {
    return err({ kind: 'bad-request', message: `CSR must have the signing ID of ${authority.trustDomain} alone` })
  }
  const nowMs = env.clock.wallMs()
  const chainEndMs = chainOf(tx, root, nowMs, parts).endMs
  const lifeMs = livesOfLeaf * leafTtlMs(authority.options)
  const endMs = wholeSecond(Math.min(nowMs + lifeMs, endToAskFor(signer.value.kind, chainEndMs, { nowMs, ...parts })))
  if (endMs - nowMs < leafLeftMinMs(parts))
    return refused('the active root, or a certificate that is sent with it, is about to expire')
  const unnamed = await nameOwn(server, tx, root.id, nowMs)
  if (unnamed !== undefined) return err(unnamed)
  const recorded = await server.propose(recordLeaves, { rootId: root.id, datacenter, count: 1, expiresMs: endMs })
  if (!recorded.ok) return recorded
  if (recorded.value === null) return refused('the root has changed meanwhile')
  const signed = await providedWithin(env, leafWithinMs, provider.signIntermediate(csr, recorded.value.first, endMs))
  if (!signed.ok) return refused(signed.error.message)
  const read = readCertificates(signed.value.certificate)
  const [certificate] = read.ok ? read.value : []
  const problem =
    certificate === undefined ? 'nothing' : authorityProblem(certificate, request.value.publicKey, uri, chainEndMs)
  if (problem !== undefined) return refused(`the provider has signed something other than the request: ${problem}`)
  const longer = { rootId: root.id, datacenter, endMs, signedUntilMs: certificate?.notAfterMs ?? 0 }
  const late = await recordLonger(server, longer)
  if (late !== undefined) return err(late)
  const { behind = [] } = signed.value
  return ok({ rootId: root.id, certificate: signed.value.certificate, behind })
}

/**
 * A restore knows that there are authorities of other datacenters by a second name beside theirs (`restoring.ts`). So
 * this datacenter's is recorded below the root, too, although it may have signed no leaf: as of one that is over.
 */
async function nameOwn(
  server: WithPlace & WithProposals,
  tx: ReadTransaction,
  rootId: string,
  nowMs: number,
): Promise<Failure | undefined> {
  const { datacenter } = server
  for (const leaves of leavesOf(tx, rootId)) if (leaves.datacenter === datacenter) return undefined
  const named = await server.propose(recordLeaves, { rootId, datacenter, count: 1, expiresMs: nowMs })
  return named.ok ? undefined : named.error
}

/** The leader of the other datacenter logs this line. */
const forItselfLine = 'its servers have connect.federation = false, so it signs for no other datacenter'

/**
 * The authority may sign leaves of this mesh but no further authority, and must come with nothing but the chain to the
 * root.
 */
function authorityProblem(
  { authority, pathLength, publicKey, uris, notAfterMs }: Certificate,
  wanted: Uint8Array,
  uri: string,
  endMs: number,
): string | undefined {
  if (!authority) return 'it is not a certificate authority'
  if (pathLength !== 0) return 'it could sign further authorities'
  if (!equalBytes(publicKey, wanted)) return 'it has another key'
  if (uris.length !== 1 || uris[0] !== uri) return 'it is of another mesh'
  return notAfterMs > endMs ? 'it expires after the certificate that signed it' : undefined
}

/**
 * Whether the datacenter is in the pool of all servers. Each name that is signed for is stored with the root, so
 * invented names are refused.
 */
function isKnownElsewhere({ datacenter, wan }: WithPlace & WithDatacenters, name: string): boolean {
  return name !== datacenter && (wan()?.servers.some((server) => server.datacenter === name) ?? false)
}

function refused(message: string): Result<never, Failure> {
  return err({ kind: 'refused', message })
}

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
export const signIntermediateEndpoint: WriteEndpoint<
  z.infer<typeof authorityArgs>,
  SignedAuthority,
  AuthorityServer
> = {
  method: 'ConnectCA.SignIntermediate',
  kind: 'write',
  args: authorityArgs,
  reply: signedAuthority,
  access: asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'write')),
  serve: async (server, asked) => {
    const off = meshIsOff(server)
    if (off !== undefined) return err(off)
    const parts = partsOf(server, providerKinds(server.naming))
    // Requests are rare, so the provider is opened for each one.
    const providers = new OpenProviders(parts)
    const signed = await signAuthority(parts, providers, asked)
    providers.close()
    return signed
  },
}
