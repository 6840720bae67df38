import { z } from 'zod'
import type { Ask, Authorizer } from '../../access/authorizer.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { uuidOf } from '../../base/uuid.ts'
import type { Failure } from '../../model/failure.ts'
import { denied, refusedUnlessAllowed, within } from '../contract/access.ts'
import type { CommandDefinition, WriteIdentity } from '../contract/command.ts'
import type { WriteEndpoint } from '../contract/endpoint.ts'
import { meshSpellings } from '../contract/names.ts'
import { textReply } from '../contract/reply.ts'
import type { WithConsensus, WithProposals, WithState } from '../contract/server-context.ts'
import { measured, type WithEnv, type WithNaming } from '../contract/surroundings.ts'
import { type IntentionOutcome, intentionCreate, intentionDelete, intentionUpdate, missing } from './commands.ts'
import { contentFields, intentionId } from './model.ts'
import { contentOf, type IntentionSaid } from './validation.ts'
import { intentionById } from './views.ts'

/** The part of the server that these endpoints use. */
type IntentionServer = WithEnv & WithNaming & WithState & WithProposals & WithConsensus

/** A wrong action is reported by `contentOf`, and not as malformed. */
const said = z.object({ ...contentFields, action: z.string(), sourceType: z.string(), defaultPort: z.number() })

const applyArgs = z.discriminatedUnion('operation', [
  z.object({ operation: z.literal('create'), said }),
  z.object({ operation: z.literal('update'), id: intentionId, said }),
  z.object({ operation: z.literal('delete'), id: intentionId }),
])
export type ApplyArgs = z.infer<typeof applyArgs>
type ChangeArgs = Exclude<ApplyArgs, { readonly operation: 'create' }>

const method = 'Intention.Apply'

/**
 * Returns the ID of the intention. A caller that changes one needs write rights for its old and its new destination.
 */
export const applyEndpoint: WriteEndpoint<ApplyArgs, string, IntentionServer> = {
  method,
  kind: 'write',
  args: applyArgs,
  reply: textReply,
  access: within('for which destination an intention is only a leader knows that has caught up'),
  serve: (server, args, identity, authorizer) =>
    measured(server, 'intention.apply', () =>
      args.operation === 'create'
        ? create(server, args.said, identity, authorizer)
        : change(server, args, identity, authorizer),
    ),
}

async function create(
  server: WithEnv & WithNaming & WithProposals,
  given: IntentionSaid,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<string, Failure>> {
  const refused = writeRefused(authorizer, given.destination.name)
  if (refused !== undefined) return err(denied(server.env, authorizer, refused, method))
  const content = contentOf(given, server.naming)
  if (!content.ok) return err({ kind: 'bad-request', message: content.error })
  const { env } = server
  const drawn = {
    id: uuidOf(env.crypto.randomBytes(16, 'intention', given.source.name, given.destination.name)),
    createdMs: env.clock.wallMs(),
  }
  return propose(server, intentionCreate, { ...content.value, ...drawn }, identity)
}

async function change(
  server: IntentionServer,
  args: ChangeArgs,
  identity: WriteIdentity | undefined,
  authorizer: Authorizer,
): Promise<Result<string, Failure>> {
  const seen = await seenFor(server, args, authorizer)
  if (!seen.ok) {
    const command = args.operation === 'delete' ? intentionDelete : intentionUpdate
    const before = server.earlier<unknown, IntentionOutcome>(command, identity)
    return before === undefined ? seen : answered(before)
  }
  const known = { id: args.id, seenFor: seen.value }
  if (args.operation === 'delete') return propose(server, intentionDelete, known, identity)
  const content = contentOf(args.said, server.naming)
  if (!content.ok) return err({ kind: 'bad-request', message: content.error })
  const updatedMs = server.env.clock.wallMs()
  return propose(server, intentionUpdate, { ...content.value, ...known, updatedMs }, identity)
}

/**
 * The destination of the existing intention, if its caller may write both that and the new one; null if no right is
 * needed. The command takes effect only if the destination is still the same.
 */
async function seenFor(
  server: IntentionServer,
  args: ChangeArgs,
  authorizer: Authorizer,
): Promise<Result<string | null, Failure>> {
  if (authorizer.unrestricted) return ok(null)
  const wanted = args.operation === 'update' ? writeRefused(authorizer, args.said.destination.name) : undefined
  if (wanted !== undefined) return err(denied(server.env, authorizer, wanted, method))
  const leads = await server.leads()
  if (!leads.ok) return leads
  const known = intentionById(server.read(), args.id)
  const notThere: Failure = { kind: 'bad-request', message: missing(args.id) }
  if (known === undefined) return err(notThere)
  const { name } = known.destination
  const refused = writeRefused(authorizer, name)
  if (refused === undefined) return ok(name)
  const isSeen = authorizer.allows('intention', name, 'read')
  return err(denied(server.env, authorizer, isSeen ? refused : { ...refused, instead: notThere }, method))
}

/** Without a destination, its absence is the error, and not a missing right. */
function writeRefused(authorizer: Authorizer, destination: string): Ask | undefined {
  if (destination === '') return undefined
  for (const name of meshSpellings(destination)) {
    const refused = refusedUnlessAllowed(authorizer, 'intention', name, 'write')
    if (refused !== undefined) return refused
  }
  return undefined
}

async function propose<Body>(
  server: WithProposals,
  command: CommandDefinition<Body, IntentionOutcome>,
  body: Body,
  identity: WriteIdentity | undefined,
): Promise<Result<string, Failure>> {
  return answered(await server.propose(command, body, identity))
}

function answered(outcome: Result<IntentionOutcome, Failure>): Result<string, Failure> {
  if (!outcome.ok) return outcome
  if ('id' in outcome.value) return ok(outcome.value.id)
  if ('refusal' in outcome.value) return err({ kind: 'bad-request', message: outcome.value.refusal })
  return err({ kind: 'refused', message: 'the destination of the intention has changed meanwhile: try again' })
}
