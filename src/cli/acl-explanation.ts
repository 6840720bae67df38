import { z } from 'zod'
import type { Decision, Resource, Right } from '../access/authorizer.ts'
import { authorizerOf, type PolicyAuthorizerOptions } from '../access/policy-authorizer.ts'
import { parseRules } from '../access/reading.ts'
import { labelledResources, scalarResources } from '../access/rules.ts'
import { err, ok, type Result } from '../base/result.ts'
import type { Token } from './acl-answers.ts'
import { AclApi } from './acl-api.ts'
import { ApiClient, ClientToken } from './client.ts'
import type { Invocation } from './command.ts'
import { askJson } from './json-client.ts'

/** What is to be explained: may this be done? */
export interface Question {
  readonly resource: Resource
  readonly right: Right
  /** Empty at a resource that has no names. */
  readonly name: string
}

export interface Explanation {
  readonly token: Token
  readonly decision: Decision
}

const resources: readonly Resource[] = [...labelledResources, 'intention', ...scalarResources]
const rights: readonly Right[] = ['read', 'list', 'write']

/** Reads `service:write` and the name behind it. */
export function questionOf(asked: string, name: string | undefined): Result<Question, string> {
  const [resource, right, ...more] = asked.split(':')
  const known = resources.find((each) => each === resource)
  const may = rights.find((each) => each === right)
  if (known === undefined || may === undefined || more.length > 0) {
    const write = `write <resource>:<right>, of ${resources.join(', ')} and ${rights.join(', ')}`
    return err(`${JSON.stringify(asked)} is no right at a resource: ${write}`)
  }
  if (may === 'list' && known !== 'key') return err('list is a right at key alone')
  const isScalar = scalarResources.some((each) => each === known)
  if (isScalar && name !== undefined) return err(`${known} has no names: leave ${JSON.stringify(name)} out`)
  if (!isScalar && name === undefined) return err(`name what is asked for: ${known}:${may} <name>`)
  return ok({ resource: known, right: may, name: name ?? '' })
}

/**
 * What decides a question for the token that -token names, or for who sends none. Its policies are read with the token of
 * the environment, for few tokens may read their own policies.
 */
export async function explain(invocation: Invocation, question: Question): Promise<Result<Explanation, string>> {
  const explained = new ClientToken(invocation)
  const reading = explained.environment === undefined ? invocation : withoutToken(invocation)
  const client = new ApiClient(reading)
  const rules = await settingsOf(client)
  if (!rules.ok) return rules
  const api = new AclApi(client)
  const token =
    explained.given === undefined
      ? await api.token(anonymousAccessor)
      : await new AclApi(new ApiClient(invocation)).ownToken()
  if (!token.ok) return err(`the token cannot be read: ${token.error}`)
  const rulesets = await rulesetsOf(api, token.value, rules.value.datacenter)
  if (!rulesets.ok) return rulesets
  const { resource, name, right } = question
  const { AccessorID: accessor } = token.value
  const authorizer = authorizerOf({ accessor, rulesets: rulesets.value, ...rules.value })
  return ok({ token: token.value, decision: authorizer.explain(resource, name, right) })
}

const anonymousAccessor = '00000000-0000-0000-0000-000000000002'

function withoutToken(invocation: Invocation): Invocation {
  return { ...invocation, flags: new Map([...invocation.flags].filter(([name]) => name !== 'token')) }
}

const selfSchema = z.object({
  Config: z.object({ Datacenter: z.string() }),
  DebugConfig: z.object({
    ACLsEnabled: z.boolean(),
    ACLDefaultPolicy: z.enum(['allow', 'deny']),
    ACLEnableKeyListPolicy: z.boolean(),
  }),
})

type Settings = Pick<PolicyAuthorizerOptions, 'defaultPolicy' | 'keyListPolicy'> & { readonly datacenter: string }

async function settingsOf(client: ApiClient): Promise<Result<Settings, string>> {
  const self = await askJson(client, { method: 'GET', path: '/v1/agent/self' }, selfSchema)
  if (!self.ok) return err(`the agent does not say how it is set: ${self.error}`)
  const { Config, DebugConfig } = self.value
  if (!DebugConfig.ACLsEnabled) return err('access control is off at this agent: everybody may do everything')
  const { ACLDefaultPolicy: defaultPolicy, ACLEnableKeyListPolicy: keyListPolicy } = DebugConfig
  return ok({ defaultPolicy, keyListPolicy, datacenter: Config.Datacenter })
}

type Rulesets = PolicyAuthorizerOptions['rulesets']

async function rulesetsOf(api: AclApi, token: Token, datacenter: string): Promise<Result<Rulesets, string>> {
  const found: Rulesets[number][] = []
  const add = (policy: string, text: string, grammar: 'legacy' | 'new'): string | undefined => {
    const rules = parseRules(text, grammar)
    if (!rules.ok) return `the rules of ${policy} cannot be read: ${rules.error}`
    found.push({ policy, rules: rules.value })
    return undefined
  }
  const own = (token.Rules ?? '') === '' ? undefined : add('the token itself', token.Rules ?? '', 'legacy')
  if (own !== undefined) return err(own)
  for (const { ID, Name } of token.Policies) {
    const policy = await api.policy(ID)
    // It has been deleted since: it gives nothing, and takes nothing. That the asking token itself is known was seen before.
    if (!policy.ok && policy.error.includes('ACL not found')) continue
    if (!policy.ok) return err(`policy ${Name === '' ? ID : Name} cannot be read: ${policy.error}`)
    const { Datacenters, Rules } = policy.value
    if (Datacenters.length > 0 && !Datacenters.includes(datacenter)) continue
    const problem = add(policy.value.Name, Rules, 'new')
    if (problem !== undefined) return err(problem)
  }
  return ok(found)
}

/** Why, in words: it names no secret. */
export function decisionText({ by }: Decision): string {
  switch (by.kind) {
    case 'rule':
      return `${by.rule} is ${JSON.stringify(by.level)} in ${by.policy}`
    case 'default':
      return `no rule is about it, and the default policy is ${by.policy}`
    case 'unrestricted':
      return 'it may do everything'
    case 'not-enforced':
      return 'nobody is asked for this right as access control is set'
  }
}
