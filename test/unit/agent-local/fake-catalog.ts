import type { CatalogClient, ChecksOn, NodeDump } from '../../../src/agent/local/parts.ts'
import { err, ok } from '../../../src/base/result.ts'
import type {
  CheckFacts,
  DeregisterRequest,
  NodeFacts,
  RegisterRequest,
  ServiceFacts,
} from '../../../src/model/catalog.ts'
import { type Failure, failureText } from '../../../src/model/failure.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'

/** A catalog of one node, which notes what it is asked and fails when it is told to. */
export class FakeCatalog implements CatalogClient {
  node: NodeFacts | undefined
  /** By ID in small letters, as in the catalog. */
  readonly services = new Map<string, ServiceFacts>()
  readonly checks = new Map<string, CheckFacts>()
  /** In order: `dump`, `+service web`, `+check c`, `+node`, `-service web`, `-check c`. */
  readonly asked: string[] = []
  /** With which tokens what was asked, by what was asked last of it. */
  readonly tokens = new Map<string, string>()
  /** The token that may write the node; undefined: every token. */
  nodeToken: string | undefined
  /** How many offers came in one call, each time that there were several. */
  readonly together: number[] = []
  /** Calls with several offers fail so. */
  failureTogether: Failure | undefined
  /** Every call fails so. */
  failure: Failure | undefined
  /** Registrations of this service ID or check ID are refused. */
  refused: string | undefined
  /** IDs of services that the reader of a dump may not see, nor their checks. */
  readonly hidden = new Set<string>()
  /** Called before each call is answered. */
  before: () => Promise<void> = async () => undefined

  takeAsked(): readonly string[] {
    return this.asked.splice(0)
  }

  nodeApart = false
  /** What `checksOn` answers: it waits until what was asked for is older than this. */
  seen: ChecksOn = { checks: [], index: modifyIndexOf(1) }
  /** Ends of the waits under way. */
  readonly waits = new Set<() => void>()

  /** Answers the waiting reads. */
  see(checks: readonly CheckFacts[], index = this.seen.index + 1): void {
    this.seen = { checks, index: modifyIndexOf(index) }
    for (const end of [...this.waits]) end()
  }

  checksOn: CatalogClient['checksOn'] = async (node, minIndex, abandoned) => {
    this.asked.push(`checks on ${node} after ${minIndex}`)
    await this.before()
    if (this.failure !== undefined) return err(this.failure)
    if (this.seen.index > minIndex) return ok(this.seen)
    const { promise, resolve } = this.deferred()
    const end = (): void => {
      this.waits.delete(end)
      resolve()
    }
    this.waits.add(end)
    abandoned(end)
    await promise
    return this.failure === undefined ? ok(this.seen) : err(this.failure)
  }

  /** Those of the Env. */
  deferred: () => { promise: Promise<void>; resolve(): void } = () => {
    throw new Error('nobody waits here')
  }

  dump: CatalogClient['dump'] = async () => {
    this.asked.push('dump')
    await this.before()
    if (this.failure !== undefined) return err(this.failure)
    if (this.node === undefined) return ok(null)
    const dump: NodeDump = {
      node: this.node,
      services: [...this.services.values()].filter(({ id }) => !this.hidden.has(id)),
      checks: [...this.checks.values()].filter(({ serviceId }) => !this.hidden.has(serviceId)),
    }
    return ok(dump)
  }

  register: CatalogClient['register'] = async (request: RegisterRequest, token: string) => {
    if (request.service !== null) this.asked.push(`+service ${request.service.id}`)
    for (const check of request.checks) this.asked.push(`+check ${check.checkId}`)
    if (request.service === null && request.checks.length === 0) this.asked.push('+node')
    for (const what of namesOf(request)) this.tokens.set(what, token)
    await this.before()
    if (this.failure !== undefined) return err(this.failure)
    const writesNode = !request.skipNodeUpdate || this.node === undefined
    if (writesNode && token !== (this.nodeToken ?? token)) {
      return err({ kind: 'permission-denied', message: 'Permission denied' })
    }
    const ids = [request.service?.id, ...request.checks.map(({ checkId }) => checkId)]
    if (this.refused !== undefined && ids.includes(this.refused)) {
      return err({ kind: 'bad-request', message: 'not that one' })
    }
    if (!request.skipNodeUpdate || this.node === undefined) this.node = request.node
    if (request.service !== null) this.services.set(request.service.id.toLowerCase(), request.service)
    for (const check of request.checks) this.checks.set(check.checkId.toLowerCase(), check)
    return ok(true)
  }

  registerAll: CatalogClient['registerAll'] = async ({ node, skipNodeUpdate, offers }, token) => {
    this.together.push(offers.length)
    if (this.failureTogether !== undefined) return err(this.failureTogether)
    const refusals: (string | null)[] = []
    for (const offer of offers) {
      const answer = await this.register({ node, skipNodeUpdate, ...offer }, token)
      if (!answer.ok && answer.error.kind !== 'bad-request') return answer
      refusals.push(answer.ok ? null : failureText(answer.error))
    }
    return ok(refusals)
  }

  deregister: CatalogClient['deregister'] = async ({ serviceId, checkId }: DeregisterRequest, token: string) => {
    this.tokens.set(serviceId === '' ? `-check ${checkId}` : `-service ${serviceId}`, token)
    this.asked.push(serviceId === '' ? `-check ${checkId}` : `-service ${serviceId}`)
    await this.before()
    if (this.failure !== undefined) return err(this.failure)
    if (serviceId === '') this.checks.delete(checkId.toLowerCase())
    else {
      const gone = serviceId.toLowerCase()
      this.services.delete(gone)
      for (const [id, check] of this.checks) if (check.serviceId.toLowerCase() === gone) this.checks.delete(id)
    }
    return ok(true)
  }
}

function namesOf({ service, checks }: RegisterRequest): readonly string[] {
  const names = [
    ...(service === null ? [] : [`+service ${service.id}`]),
    ...checks.map((check) => `+check ${check.checkId}`),
  ]
  return names.length === 0 ? ['+node'] : names
}
