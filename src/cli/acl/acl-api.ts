import { z } from 'zod'
import { textOf } from '../../base/bytes.ts'
import type { Json } from '../../base/json.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { inputBytesMax } from '../../env/terminal.ts'
import { ApiClient } from '../api/client.ts'
import { askBytes, askJson, type JsonRequest } from '../api/json-client.ts'
import type { Invocation } from '../command.ts'
import { dataOperand } from '../flags/values.ts'

const links = z
  .array(z.object({ ID: z.string(), Name: z.string() }))
  .nullable()
  .transform((policies) => policies ?? [])

const tokenFacts = {
  AccessorID: z.string(),
  Description: z.string(),
  Local: z.boolean(),
  CreateTime: z.string(),
  Hash: z.string().nullable().optional(),
  Policies: links,
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
}

/** Reference: access-control.md#token-object. */
export const tokenSchema = z.object({ ...tokenFacts, SecretID: z.string(), Rules: z.string().optional() })
export const tokenStubSchema = z.object({ ...tokenFacts, Legacy: z.boolean().optional() })
const tokenStubsSchema = z
  .array(tokenStubSchema)
  .nullable()
  .transform((tokens) => tokens ?? [])

const policyFacts = {
  ID: z.string(),
  Name: z.string(),
  Description: z.string(),
  Datacenters: z
    .array(z.string())
    .nullable()
    .optional()
    .transform((names) => names ?? []),
  Hash: z.string().nullable().optional(),
  CreateIndex: z.number(),
  ModifyIndex: z.number(),
}

/** Reference: access-control.md#policy-object. */
export const policySchema = z.object({ ...policyFacts, Rules: z.string().default('') })
export const policyStubsSchema = z
  .array(z.object(policyFacts))
  .nullable()
  .transform((policies) => policies ?? [])

export type Token = z.infer<typeof tokenSchema>
export type TokenStub = z.infer<typeof tokenStubSchema>
export type Policy = z.infer<typeof policySchema>
export type PolicyStub = z.infer<typeof policyStubsSchema>[number]

const anonymous = '00000000-0000-0000-0000-000000000002'
const globalManagement = '00000000-0000-0000-0000-000000000001'
const uuidLength = 36

/** Tokens and policies, as commands ask for them. Errors are one line. Reference: access-control.md#endpoints. */
export class AclApi {
  readonly #client: ApiClient

  constructor(client: ApiClient) {
    this.#client = client
  }

  bootstrap(): Promise<Result<Token, string>> {
    return this.#ask({ method: 'PUT', path: '/v1/acl/bootstrap' }, tokenSchema)
  }

  tokens(): Promise<Result<readonly TokenStub[], string>> {
    return this.#ask({ method: 'GET', path: '/v1/acl/tokens' }, tokenStubsSchema)
  }

  token(accessor: string): Promise<Result<Token, string>> {
    return this.#ask({ method: 'GET', path: tokenPath(accessor) }, tokenSchema)
  }

  /** The token that the request is made with. */
  ownToken(): Promise<Result<Token, string>> {
    return this.#ask({ method: 'GET', path: '/v1/acl/token/self' }, tokenSchema)
  }

  createToken(body: Json): Promise<Result<Token, string>> {
    return this.#ask({ method: 'PUT', path: '/v1/acl/token', body }, tokenSchema)
  }

  updateToken(accessor: string, body: Json): Promise<Result<Token, string>> {
    return this.#ask({ method: 'PUT', path: tokenPath(accessor), body }, tokenSchema)
  }

  cloneToken(accessor: string, Description: string): Promise<Result<Token, string>> {
    const body = Description === '' ? {} : { Description }
    return this.#ask({ method: 'PUT', path: `${tokenPath(accessor)}/clone`, body }, tokenSchema)
  }

  deleteToken(accessor: string): Promise<Result<Uint8Array, string>> {
    return askBytes(this.#client, { method: 'DELETE', path: tokenPath(accessor) })
  }

  policies(): Promise<Result<readonly PolicyStub[], string>> {
    return this.#ask({ method: 'GET', path: '/v1/acl/policies' }, policyStubsSchema)
  }

  policy(id: string): Promise<Result<Policy, string>> {
    return this.#ask({ method: 'GET', path: policyPath(id) }, policySchema)
  }

  createPolicy(body: Json): Promise<Result<Policy, string>> {
    return this.#ask({ method: 'PUT', path: '/v1/acl/policy', body }, policySchema)
  }

  updatePolicy(id: string, body: Json): Promise<Result<Policy, string>> {
    return this.#ask({ method: 'PUT', path: policyPath(id), body }, policySchema)
  }

  deletePolicy(id: string): Promise<Result<Uint8Array, string>> {
    return askBytes(this.#client, { method: 'DELETE', path: policyPath(id) })
  }

  /** Legacy rules in the new grammar: those of a text, or of a legacy token. */
  translate(of: { readonly text: Uint8Array } | { readonly accessor: string }): Promise<Result<Uint8Array, string>> {
    const path = '/v1/acl/rules/translate'
    return 'text' in of
      ? askBytes(this.#client, { method: 'POST', path, body: of.text })
      : askBytes(this.#client, { method: 'GET', path: `${path}/${encodeURIComponent(of.accessor)}` })
  }

  setAgentToken(kind: string, Token: string): Promise<Result<Uint8Array, string>> {
    return askBytes(this.#client, { method: 'PUT', path: `/v1/agent/token/${kind}`, body: { Token } })
  }

  /** The accessor ID of a token that is given by its accessor ID, by a prefix of that, or as `anonymous`. */
  async accessorOf(given: string): Promise<Result<string, string>> {
    if (given === 'anonymous') return ok(anonymous)
    if (given.length === uuidLength) return ok(given)
    const all = await this.tokens()
    return all.ok
      ? onlyOne(
          'token',
          given,
          all.value.map(({ AccessorID }) => AccessorID),
        )
      : all
  }

  /** The ID of a policy that is given by its ID or by a prefix of that. */
  async policyIdOf(given: string): Promise<Result<string, string>> {
    if (given === 'global-management') return ok(globalManagement)
    if (given.length === uuidLength) return ok(given)
    const all = await this.policies()
    return all.ok
      ? onlyOne(
          'policy',
          given,
          all.value.map(({ ID }) => ID),
        )
      : all
  }

  async policyIdByName(name: string): Promise<Result<string, string>> {
    const all = await this.policies()
    if (!all.ok) return all
    const found = all.value.find((policy) => policy.Name === name)
    return found === undefined ? err(`No such policy with name ${name}`) : ok(found.ID)
  }

  #ask<T>(request: JsonRequest, shape: z.ZodType<T>): Promise<Result<T, string>> {
    return askJson(this.#client, request, shape)
  }
}

function tokenPath(accessor: string): string {
  return `/v1/acl/token/${encodeURIComponent(accessor)}`
}

function policyPath(id: string): string {
  return `/v1/acl/policy/${encodeURIComponent(id)}`
}

function onlyOne(what: string, prefix: string, ids: readonly string[]): Result<string, string> {
  const [found, second] = ids.filter((id) => id.startsWith(prefix))
  if (found === undefined) return err(`No such ${what} ID with prefix: ${prefix}`)
  return second === undefined ? ok(found) : err(`Partial ${what} ID is not unique`)
}

/**
 * The accessor ID of a token that is given by its accessor ID or its secret; a token given by its secret looks itself
 * up.
 */
export async function accessorOfToken(
  invocation: Invocation,
  name: string,
  bySecret: boolean,
): Promise<Result<string, string>> {
  if (!bySecret) return new AclApi(new ApiClient(invocation)).accessorOf(name)
  const flags = new Map([...invocation.flags, ['token', name] as const])
  const own = await new AclApi(new ApiClient({ ...invocation, flags })).ownToken()
  return own.ok ? ok(own.value.AccessorID) : own
}

/** The rules of a new policy: the text of -rules, or the rules of a legacy token; undefined: none were given. */
export async function rulesOf(invocation: Invocation): Promise<Result<string | undefined, string>> {
  const { flags } = invocation
  const [rules, token] = [flags.get('rules'), flags.get('from-token')]
  if (typeof token === 'string' && token !== '') {
    if (typeof rules === 'string' && rules !== '') return err('Cannot specify both -rules and -from-token')
    const accessor = await accessorOfToken(invocation, token, flags.get('token-secret') === true)
    if (!accessor.ok) return accessor
    const translated = await new AclApi(new ApiClient(invocation)).translate({ accessor: accessor.value })
    return translated.ok ? ok(textOf(translated.value)) : translated
  }
  if (typeof rules !== 'string') return ok(undefined)
  const data = await dataOperand(invocation, rules, inputBytesMax)
  return data.ok ? ok(textOf(data.value)) : data
}
