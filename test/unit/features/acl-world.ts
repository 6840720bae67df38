import { type Authorizer, managementOf } from '../../../src/access/authorizer.ts'
import { authorizerOf } from '../../../src/access/policy-authorizer.ts'
import { parseRules } from '../../../src/access/reading.ts'
import type { Grammar } from '../../../src/access/rules.ts'
import { textOf, utf8 } from '../../../src/base/bytes.ts'
import { writeJson } from '../../../src/base/json.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import type { Env } from '../../../src/env/env.ts'
import { tokensDuty } from '../../../src/features/acl/duty.ts'
import type { TokenRow } from '../../../src/features/acl/model.ts'
import { enterNewMode } from '../../../src/features/acl/system/mode-commands.ts'
import * as views from '../../../src/features/acl/views.ts'
import {
  type AgentTokenSlot,
  legacyModeFailure,
  type MissingServer,
} from '../../../src/features/contract/access-control.ts'
import type { HttpMethod, RouteResponse } from '../../../src/features/contract/route.ts'
import { failureStatus } from '../../../src/http/failure-status.ts'
import { type Failure, failureText } from '../../../src/model/failure.ts'
import { HandClock, settled } from './hand-clock.ts'
import { LoneServer } from './lone-server.ts'

export interface Told {
  readonly status: number
  /** Parsed JSON; otherwise the text. */
  readonly body: unknown
}

/** A datacenter of one server that has access control on, default deny, and resolves tokens by its own state. */
export class AclWorld {
  readonly clock = new HandClock()
  readonly server: LoneServer
  readonly files = new Map<string, Uint8Array>()
  readonly slots = new Map<AgentTokenSlot, string>()
  /** Names, with their counts. */
  readonly metrics: unknown[] = []
  readonly logged: unknown[] = []
  missing: readonly MissingServer[] = []
  replicatesTokens = true
  defaultToken = ''
  readonly datacenter: string
  #drawn = 0

  constructor(datacenter = 'dc1', primaryDatacenter = 'dc1', masterToken = 'root') {
    this.datacenter = datacenter
    this.server = new LoneServer(this.#env())
    this.server.self = { ...this.server.self, datacenter }
    const world = this
    this.server.serverAccess = {
      primaryDatacenter,
      defaultPolicy: 'deny',
      masterToken,
      get replicatesTokens() {
        return world.replicatesTokens
      },
      missing: () => this.missing,
      authorizerOf: async (accessor) => {
        const token = views.tokenByAccessor(this.server.read(), accessor)
        return token === undefined ? err({ kind: 'token-not-found' }) : this.#resolve(token.secret)
      },
      replicationToken: () => 'root',
      dataDir: '/data',
    }
    this.server.accessControl = {
      primaryDatacenter,
      defaultPolicy: 'deny',
      refusesNew: () => (views.isNewMode(this.server.read()) ? undefined : legacyModeFailure(this.missing)),
      defaultToken: () => this.defaultToken,
      setToken: (slot, secret) => this.slots.set(slot, secret),
    }
    this.server.resolve = (token) => this.#resolve(token)
  }

  /** Leads a datacenter that has just gone over to the new mode. */
  static async begun(...args: ConstructorParameters<typeof AclWorld>): Promise<AclWorld> {
    const world = new AclWorld(...args)
    await world.server.context.propose(enterNewMode, {})
    await world.lead()
    return world
  }

  async lead(): Promise<void> {
    this.server.begin(tokensDuty)
    await settled()
  }

  /** As the caller of this token; empty: the anonymous one. */
  async ask(token: string, line: string, body: string | object = ''): Promise<Told> {
    this.server.call = { token }
    const [method = '', target = ''] = line.split(' ')
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return toldBy(await this.server.request(method as HttpMethod, target, text))
  }

  /** As the master token of the primary datacenter; what it says, if it is JSON. */
  async root(line: string, body: string | object = ''): Promise<Record<string, unknown>> {
    const master = this.server.serverAccess?.masterToken ?? ''
    const { status, body: said } = await this.ask(master === '' ? 'root' : master, line, body)
    if (status !== 200) throw new Error(`${line}: ${status} ${String(said)}`)
    return said as Record<string, unknown>
  }

  /** A new token that may do what these rules say, by its secret and accessor. */
  async tokenOf(rules: string): Promise<{ readonly secret: string; readonly accessor: string }> {
    const name = `p${this.server.index}`
    await this.root('PUT /v1/acl/policy', { Name: name, Rules: rules })
    const made = await this.root('PUT /v1/acl/token', { Policies: [{ Name: name }] })
    return { secret: String(made['SecretID']), accessor: String(made['AccessorID']) }
  }

  token(secret: string): TokenRow | undefined {
    return views.tokenBySecret(this.server.read(), secret)
  }

  #resolve(secret: string): Result<Authorizer, Failure> {
    const token = this.token(secret === '' ? 'anonymous' : secret)
    if (token === undefined) return err({ kind: 'token-not-found' })
    const rights = views.rightsOf(this.server.read(), token, this.datacenter)
    if (rights.kind === 'management') return ok(managementOf(token.accessor))
    const texts: readonly (readonly [string, string, Grammar])[] =
      rights.kind === 'legacy'
        ? [['legacy', rights.rules, 'legacy']]
        : rights.policies.map(({ name, rules }) => [name, rules, 'new'])
    const rulesets = texts.map(([policy, text, grammar]) => {
      const rules = parseRules(text, grammar)
      if (!rules.ok) throw new Error(rules.error)
      return { policy, rules: rules.value }
    })
    const { accessor } = token
    return ok(authorizerOf({ accessor, rulesets, defaultPolicy: 'deny', keyListPolicy: false }))
  }

  #env(): Env {
    const note = (...what: readonly unknown[]): void => void this.metrics.push(what)
    return {
      ...this.clock.env,
      crypto: {
        randomBytes: (length: number) => {
          const drawn = ++this.#drawn
          return Uint8Array.from({ length }, (_, i) => (i < 4 ? drawn >> (8 * (3 - i)) : this.datacenter.length + i))
        },
      },
      metrics: { count: note, gauge: note, sample: note },
      log: { write: (...line: readonly unknown[]) => this.logged.push(line), enabled: () => true },
      disk: {
        open: async (path: string) => {
          const bytes = this.files.get(path)
          if (bytes === undefined) return err({ kind: 'not-found', path, message: 'there is none' })
          return ok({
            read: async (offset: number, length: number) => ok(bytes.subarray(offset, offset + length)),
            close: async () => {},
          })
        },
        syncDirectory: async () => ok(undefined),
        remove: async (path: string) => {
          return this.files.delete(path) ? ok(undefined) : err({ kind: 'not-found', path, message: 'there is none' })
        },
      },
    } as unknown as Env
  }

  /** As an operator does it. */
  writeReset(text: string): void {
    this.files.set('/data/acl-bootstrap-reset', utf8(text))
  }

  /** Everything that goes to logs and metrics, as one text. */
  traces(): string {
    return JSON.stringify([this.logged, this.metrics])
  }
}

function toldBy(response: RouteResponse): Told {
  switch (response.kind) {
    case 'json':
      return { status: response.status ?? 200, body: JSON.parse(writeJson(response.value)) }
    case 'text':
      return { status: response.status, body: response.text }
    case 'bytes':
      return { status: 200, body: textOf(response.bytes) }
    case 'empty':
      return { status: response.status, body: '' }
    case 'failure':
      return { status: failureStatus[response.failure.kind], body: failureText(response.failure) }
    default:
      throw new Error(`not of access control: ${response.kind}`)
  }
}

export const unknownId = '11111111-0000-0000-0000-000000000000'
