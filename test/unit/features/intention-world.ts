import type { Env } from '../../../src/env/env.ts'
import type { HttpMethod, RouteResponse } from '../../../src/features/contract/route.ts'
import { LoneServer } from './lone-server.ts'

export const intentions = '/v1/connect/intentions'

/** A server that knows intentions, and its agent; IDs are counted up, and time stands until a test moves it. */
export class IntentionWorld {
  readonly server: LoneServer
  readonly metrics: string[] = []
  wallMs = Date.UTC(2026, 10, 21, 3, 26, 25, 37)
  #uuids = 0

  constructor() {
    const log = { write: () => {}, enabled: () => false, follow: () => ({ close: () => {} }) }
    const note = (name: string): void => void this.metrics.push(name)
    this.server = new LoneServer({
      clock: { monoMs: () => 0, wallMs: () => this.wallMs },
      crypto: { randomBytes: (length: number) => new Uint8Array(length).fill(++this.#uuids) },
      metrics: { count: note, gauge: note, sample: note },
      log,
    } as unknown as Env)
  }

  ask(method: HttpMethod, target: string, body: object | string = ''): Promise<RouteResponse> {
    return this.server.request(method, target, typeof body === 'string' ? body : JSON.stringify(body))
  }

  /** `source => destination`. Answers the ID. */
  async make(source: string, destination: string, Action: 'allow' | 'deny' = 'allow'): Promise<string> {
    const made = await this.ask('POST', intentions, { ...ends(source, destination), Action })
    return (jsonOf(made) as { readonly ID: string }).ID
  }

  async json(target: string): Promise<unknown> {
    return jsonOf(await this.ask('GET', target))
  }

  /** `kind: message` of what was refused. */
  async refusal(method: HttpMethod, target: string, body: object | string = ''): Promise<string> {
    const response = await this.ask(method, target, body)
    if (response.kind !== 'failure') throw new Error(`not refused: ${JSON.stringify(response)}`)
    return `${response.failure.kind}: ${'message' in response.failure ? response.failure.message : ''}`
  }

  /** Ends and actions, in the order told. */
  async listed(target = intentions): Promise<readonly string[]> {
    return ((await this.json(target)) as readonly Told[]).map(line)
  }

  async matched(by: 'source' | 'destination', name: string): Promise<readonly string[]> {
    const found = (await this.json(`${intentions}/match?by=${by}&name=${encodeURIComponent(name)}`)) as {
      readonly [name: string]: readonly Told[] | null
    }
    return (found[name] ?? []).map(line)
  }

  async isAllowed(source: string, destination: string): Promise<boolean> {
    const target = `${intentions}/check?source=${encodeURIComponent(source)}&destination=${encodeURIComponent(destination)}`
    return ((await this.json(target)) as { readonly Allowed: boolean }).Allowed
  }

  async authorized(service: string, Target: string, trustDomain = 'one.svc'): Promise<string> {
    const ClientCertURI = `spiffe://${trustDomain}/ns/default/dc/dc1/svc/${service}`
    const { Authorized, Reason } = jsonOf(
      await this.ask('POST', '/v1/agent/connect/authorize', { Target, ClientCertURI }),
    ) as {
      readonly Authorized: boolean
      readonly Reason: string
    }
    return `${Authorized}: ${Reason}`
  }
}

interface Told {
  readonly [member: string]: unknown
}

function line(told: Told): string {
  const { SourceNS, SourceName, DestinationNS, DestinationName, Action, Precedence } = told
  return `${SourceNS}/${SourceName} => ${DestinationNS}/${DestinationName} ${Action} ${Precedence}`
}

/** Of `name` or `namespace/name` each. */
export function ends(source: string, destination: string) {
  const [SourceNS, SourceName] = parts(source)
  const [DestinationNS, DestinationName] = parts(destination)
  return { SourceNS, SourceName, DestinationNS, DestinationName }
}

function parts(text: string): readonly [namespace: string, name: string] {
  const at = text.indexOf('/')
  return at < 0 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}

export function jsonOf(response: RouteResponse): unknown {
  if (response.kind !== 'json') throw new Error(`not JSON: ${JSON.stringify(response)}`)
  return JSON.parse(JSON.stringify(response.value))
}
