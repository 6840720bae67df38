import { catalogDeregister } from '../../src/features/catalog/commands.ts'
import { allNodes } from '../../src/features/catalog/views.ts'
import type { DeregisterRequest, RegisterAllRequest, RegisterRequest } from '../../src/model/catalog.ts'
import { checker } from './checker.ts'
import type { Facts } from './facts.ts'
import { type Reach, rareStates } from './rare-states.ts'

export const registrationMarks = rareStates({
  'agent registered again': 'a node that had been taken from the catalog was registered again',
  'service registered again': 'a service that had been taken from the catalog was registered again by its agent',
  'registrations lost by a restore': 'a restore put back a catalog without nodes that were registered',
  'query failed over': 'a prepared query was answered with instances of another datacenter',
})

/** Observes rare states of the catalog, and of the answers that machines get from it. */
class RegistrationMarks {
  readonly #reach: Reach<keyof typeof registrationMarks.marks>
  readonly #nodes = new Set<string>()
  readonly #lostNodes = new Set<string>()
  readonly #lostServices = new Set<string>()

  constructor(reach: Reach<keyof typeof registrationMarks.marks>) {
    this.#reach = reach
  }

  tookEffect({ command: { kind, body } }: Facts['command took effect']): void {
    if (!kind.startsWith('catalog.')) return
    if (kind === catalogDeregister.kind) return this.#deregistered(body as DeregisterRequest)
    const registration = body as RegisterRequest | RegisterAllRequest
    const { node } = registration.node
    this.#nodes.add(node)
    if (this.#lostNodes.delete(node)) this.#reach('agent registered again')
    for (const { service } of 'offers' in registration ? registration.offers : [registration]) {
      if (service !== null && this.#lostServices.delete(`${node}/${service.id}`)) {
        this.#reach('service registered again')
      }
    }
  }

  replaced({ tx }: Facts['state replaced']): void {
    const kept = new Set([...allNodes(tx)].map(({ node }) => node))
    for (const node of this.#nodes) {
      if (kept.has(node) || this.#lostNodes.has(node)) continue
      this.#lostNodes.add(node)
      this.#reach('registrations lost by a restore')
    }
  }

  /** An answer over HTTP. */
  shown({ where, text }: Facts['text shown']): void {
    if (!where.startsWith('/v1/query/') || !where.includes('/execute')) return
    if (/"Failovers":[1-9]/.test(text()) && !/"Nodes":\[\]/.test(text())) this.#reach('query failed over')
  }

  #deregistered({ node, serviceId, checkId }: DeregisterRequest): void {
    if (serviceId !== '') this.#lostServices.add(`${node}/${serviceId}`)
    else if (checkId === '') this.#lostNodes.add(node)
  }
}

export const markedRegistrations = checker({
  codes: {},
  make: ({ of }) => new RegistrationMarks(of(registrationMarks)),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
    'text shown': (it, fact) => it.shown(fact),
  },
})
