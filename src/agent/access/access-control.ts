import type { Authorizer } from '../../access/authorizer.ts'
import { type Enforcement, enforcedBy, enforcementOf } from '../../access/enforcement.ts'
import { authorizerOf } from '../../access/policy-authorizer.ts'
import type { Comparing } from '../../access/rehearsal.ts'
import type { Result } from '../../base/result.ts'
import type { AgentAccess } from '../../features/contract/access-control.ts'
import type { CallOptions } from '../../features/contract/call.ts'
import type { Failure } from '../../model/failure.ts'
import { type ModifyIndex, noChange } from '../../model/log-position.ts'
import { newestRelease } from '../../model/release.ts'
import type { Closing } from '../boot/lifecycle.ts'
import { knowsPolicies } from '../pool/pool-servers.ts'
import { type AccessSettings, unmatchedPolicy } from '../settings/access-settings.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { AskedTokens } from './asked-tokens.ts'
import { Authorizers } from './authorizers.ts'
import { ClientMode, primaryOf } from './mode.ts'
import { RefusalReport } from './report.ts'
import { rightsEndpoint } from './rights.ts'
import type { AccessGround, AskServers, RegistrantRights, RunningAccess } from './running-access.ts'

type RightsOf = (call: CallOptions) => Promise<Result<Authorizer, Failure>>

/** Turns rights of tokens into authorizers by the settings of this agent. */
export function authorizersOf(
  { env, config }: Pick<AccessGround, 'env' | 'config'>,
  closing: Closing,
  comparing?: Comparing,
): Authorizers {
  const { defaultPolicy, keyListPolicy, reportOnly } = config.access
  const report = reportOnly ? new RefusalReport(env) : undefined
  closing.push(() => report?.stop())
  return new Authorizers({
    env,
    defaultPolicy,
    keyListPolicy,
    enforces: asksForEverything(config) ? undefined : enforcementOf(config.release, config.access.enforceVersion8),
    ...(comparing === undefined ? {} : { comparing }),
    ...(report === undefined ? {} : { dressed: (authorizer: Authorizer) => report.dress(authorizer) }),
  })
}

function asksForEverything({ release, access }: AgentConfig): boolean {
  return release === newestRelease && access.enforceVersion8 !== false
}

/** How long rights of a token are cached: the smaller of the limits for tokens and for policies. */
export function ttlOf({ tokenTtlMs, policyTtlMs }: AccessSettings): number {
  return Math.min(tokenTtlMs, policyTtlMs)
}

/** Names the endpoint for calls to servers; callers use only its name and arguments, so that it never runs here. */
const asked = rightsEndpoint(async () => ({ ok: false, error: { kind: 'no-servers' } }))

/**
 * Asks the servers of `datacenter` for the rights of tokens, or the servers of this datacenter if `datacenter` is
 * empty.
 */
export function askedTokens(
  { env, config }: Pick<AccessGround, 'env' | 'config'>,
  authorizers: Authorizers,
  calls: AskServers,
  datacenter: string,
  state?: { readonly index: ModifyIndex },
): AskedTokens {
  const read = { consistency: 'stale' as const, minIndex: noChange, waitMs: 0, maxStaleMs: 0, datacenter }
  return new AskedTokens({
    env,
    authorizers,
    downPolicy: config.access.downPolicy,
    ttlMs: ttlOf(config.access),
    findingMs: config.rpcHoldTimeoutMs,
    stateIndex: () => state?.index ?? noChange,
    ask: (secret) => calls.ask(asked, { secret, datacenter: config.datacenter }, read, {}),
  })
}

/** Resolves the rights of a call's token, as far as this agent knows them. */
export function rightsOfCalls(
  { config, tokens }: Pick<AccessGround, 'config' | 'tokens'>,
  { resolver, authorizers }: RunningAccess,
): RightsOf {
  return async ({ token }) => {
    const secret = token === undefined || token === '' ? tokens.default : token
    if (secret !== '' && secret === tokens.agentMaster)
      return { ok: true, value: authorizers.agentMaster(config.nodeName) }
    return resolver.now(secret) ?? resolver.resolve(secret)
  }
}

/** Resolves the rights of the token that registered a check; a check without a token uses the default token. */
export function registrantRights(
  { tokens }: Pick<AccessGround, 'tokens'>,
  { resolver }: Pick<RunningAccess, 'resolver'>,
): RegistrantRights {
  const secretOf = (token: string): string => (token === '' ? tokens.default : token)
  return { now: (token) => resolver.now(secretOf(token)), resolve: (token) => resolver.resolve(secretOf(token)) }
}

/**
 * The rights of a call's token on this agent itself. With `acl_enforce_version_8` off every call is allowed, because
 * agents ask only since that release; firing events is the exception, which servers already checked before. Reference:
 * releases.md#rel-0.7.2-1, releases.md#rel-0.6-2. Spec: ACL-020.
 */
export function localAuthorizer(
  { config: { release, access } }: Pick<AccessGround, 'config'>,
  rightsOf: RightsOf,
): RightsOf {
  const enforces = enforcementOf(release, access.enforceVersion8)
  if (enforces('agent', 'read')) return rightsOf
  const asks: Enforcement = (resource, right) => resource === 'event' && right === 'write' && enforces(resource, right)
  return async (call) => {
    const found = await rightsOf(call)
    return { ok: true, value: enforcedBy(asks, found.ok ? found.value : nothingAllowed) }
  }
}

/** The rights of a token that does not exist. */
const nothingAllowed = authorizerOf({ accessor: '', rulesets: [], defaultPolicy: 'deny', keyListPolicy: false })

/** What the HTTP routes of an agent know about its access control. */
export function agentAccess({ config, tokens }: AccessGround, running: RunningAccess): AgentAccess {
  return {
    primaryDatacenter: primaryOf(config),
    defaultPolicy: unmatchedPolicy(config.access),
    refusesNew: () => running.refusesNew(),
    defaultToken: () => tokens.default,
    setToken: (slot, secret) => tokens.set(slot, secret),
  }
}

/**
 * Access control of a client agent: it asks any server for rights that it has not cached. Undefined: access control is
 * off.
 */
export function openClientAccess(
  ground: AccessGround,
  calls: AskServers,
  onHope: (use: () => void) => void,
  closing: Closing,
): RunningAccess | undefined {
  const { config, pool } = ground
  if (!config.access.enabled) return undefined
  const authorizers = authorizersOf(ground, closing)
  const tokens = askedTokens(ground, authorizers, calls, '')
  const mode = knowsPolicies(config.release) ? new ClientMode(pool, config.datacenter) : undefined
  onHope(() => tokens.hope())
  closing.push(() => {
    tokens.stop()
    mode?.stop()
  })
  return { resolver: tokens, authorizers, mode: () => mode?.mode ?? 'legacy', refusesNew: () => undefined }
}
