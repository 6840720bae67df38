import type { Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import type { DeregisterRequest, RegisterAllRequest, RegisterRequest, ServiceFacts } from '../../model/catalog.ts'
import type { Failure } from '../../model/failure.ts'
import { registerOffersMax } from '../../model/limits.ts'
import { hasBehaviour } from '../../model/release.ts'
import { asks, denied, within } from '../contract/access.ts'
import type { WriteIdentity } from '../contract/command.ts'
import type { WriteEndpoint } from '../contract/endpoint.ts'
import { flagReply, isText, listOfAll, orNull, replyWith } from '../contract/reply.ts'
import type { WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv, type WithRelease } from '../contract/surroundings.ts'
import {
  catalogDeregister,
  catalogRegister,
  catalogRegisterAll,
  catalogRegisterAllMesh,
  catalogRegisterMesh,
} from './commands.ts'
import { catalogFields } from './fields.ts'
import { deregistrationRefused, registrationRefused } from './rights.ts'

/** The part of the server that these endpoints use. */
type CatalogServer = WithEnv & WithRelease & WithProposals
/** It reads the state as well, to judge rights to what a call removes. */
type DeregistrationServer = WithEnv & WithState & WithProposals

const fields = catalogFields('dropped')

/**
 * The leader refuses a registration that does not fit the present catalog as the caller's mistake. Returns true when it
 * is applied.
 */
export const registerEndpoint: WriteEndpoint<RegisterRequest, boolean, CatalogServer> = {
  method: 'Catalog.Register',
  kind: 'write',
  args: fields.registerRequest,
  reply: flagReply,
  access: asks(registrationRefused),
  serve: register,
}

async function register(
  server: CatalogServer,
  args: RegisterRequest,
  identity: WriteIdentity | undefined,
): Promise<Result<boolean, Failure>> {
  const known = { ...args, service: serviceKnown(server, args.service) }
  const command = isOfMesh(known) ? catalogRegisterMesh : catalogRegister
  const outcome = await measured(server, 'catalog.register', () => server.propose(command, known, identity))
  if (!outcome.ok) return outcome
  return outcome.value.refusal === null ? ok(true) : err({ kind: 'bad-request', message: outcome.value.refusal })
}

/** For each offer, why the leader refused it; null if it was applied. */
export const registerAllEndpoint: WriteEndpoint<RegisterAllRequest, readonly (string | null)[], CatalogServer> = {
  method: 'Catalog.RegisterAll',
  kind: 'write',
  args: fields.registerAllRequest.refine(({ offers }) => offers.length <= registerOffersMax, 'too many offers'),
  reply: replyWith(listOfAll(orNull(isText))),
  access: asks((authorizer, { node, skipNodeUpdate, offers }, tx) => {
    // The request may bring nothing but the node.
    for (const offer of offers.length === 0 ? [{ service: null, checks: [] }] : offers) {
      const refused = registrationRefused(authorizer, { node, skipNodeUpdate, ...offer }, tx)
      if (refused !== undefined) return refused
    }
    return undefined
  }),
  serve: (server, args, identity) => {
    const offers = args.offers.map((offer) => ({ ...offer, service: serviceKnown(server, offer.service) }))
    const command = offers.some(isOfMesh) ? catalogRegisterAllMesh : catalogRegisterAll
    return measured(server, 'catalog.register', () => server.propose(command, { ...args, offers }, identity))
  },
}

function isOfMesh({ service }: Pick<RegisterRequest, 'service'>): boolean {
  return service?.mesh !== undefined
}

/** A server of a release without the mesh ignores its members, like all members that it does not know. */
function serviceKnown({ release }: WithRelease, service: ServiceFacts | null): ServiceFacts | null {
  if (service?.mesh === undefined || hasBehaviour(release, 'mesh')) return service
  const { mesh: _mesh, ...known } = service
  return known
}

/** Returns true, also if there was nothing to remove. */
export const deregisterEndpoint: WriteEndpoint<DeregisterRequest, boolean, DeregistrationServer> = {
  method: 'Catalog.Deregister',
  kind: 'write',
  args: fields.deregisterRequest,
  reply: flagReply,
  access: within('the right to an instance, which the call itself removes, must not refuse the same call sent again'),
  serve: (server, args, identity, authorizer) =>
    measured(server, 'catalog.deregister', () => deregister(server, args, identity, authorizer)),
}

async function deregister(
  server: DeregistrationServer,
  args: DeregisterRequest,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<boolean, Failure>> {
  const refused = deregistrationRefused(authorizer, args, server.read())
  if (refused === undefined) return server.propose(catalogDeregister, args, identity)
  return (
    server.earlier(catalogDeregister, identity) ?? err(denied(server.env, authorizer, refused, 'Catalog.Deregister'))
  )
}
