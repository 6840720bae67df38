import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { NodeRows, RegistrationChange } from './registration-facts.ts'

/** The range from which agents take ports of sidecars, unless their settings say otherwise. */
const portMin = 21_000
const portMax = 21_255

type Run = Judge<{ E12: 'being removed' }>

/**
 * E12. An agent gives each sidecar a port of its own from its range: two proxies on one port would mean that one of them
 * cannot listen, and that connections reach the wrong service. The catalog may have a sidecar that its agent has removed
 * already, and whose port it has given to another one.
 */
export class ChosenPorts {
  readonly #run: Run
  /** The last ports, by node and service. */
  readonly #known = new Map<string, number>()

  /** Sidecars whose removal was requested, by node and service, until the catalog has them otherwise. */
  readonly #leaving = new Map<string, number>()

  constructor(run: Run) {
    this.#run = run
  }

  began({ node, items }: Pick<RegistrationChange, 'node' | 'items'>): void {
    for (const [item, wanted] of items) {
      const name = `${node}/${item.replace(/^service /, '')}`
      const port = this.#known.get(name)
      if (wanted !== undefined || port === undefined) continue
      this.#leaving.set(name, port)
    }
  }

  listed(node: string, { proxyPorts }: NodeRows): void {
    for (const [name, port] of this.#leaving) {
      const [of = '', id = ''] = name.split('/')
      if (of === node && proxyPorts.get(id) !== port) this.#leaving.delete(name)
    }
    const byPort = new Map<number, string>()
    for (const [id, port] of proxyPorts) {
      if (this.#leaving.has(`${node}/${id}`)) continue
      const other = byPort.get(port)
      byPort.set(port, id)
      const isNew = this.#known.get(`${node}/${id}`) !== port
      this.#known.set(`${node}/${id}`, port)
      if (isNew) this.#run.judged('E12')
      if (other !== undefined) this.#report(`${id} and ${other} of ${node} have the same port ${port}`)
      else if (port < portMin || port > portMax) this.#report(`${id} of ${node} has port ${port}`)
    }
    for (const [id, port] of proxyPorts) {
      const isTaken = this.#leaving.has(`${node}/${id}`) && byPort.has(port)
      if (isTaken) this.#run.excused('E12', 'being removed')
    }
  }

  #report(message: string): void {
    this.#run.judged('E12')
    this.#run.report('E12', message)
  }
}

export const chosenPorts = checker({
  codes: {
    E12: {
      text: 'sidecars: each sidecar whose port its agent chooses has one of its own, from the range of 21000 to 21255',
      sources: ['docs/reference/definitions.md#sidecars'],
      evidence: ['requests', 'catalog'],
      judges: ['port of a sidecar', 'ports of sidecars'],
      excuses: {
        'being removed':
          'A sidecar has the port of another one, but a client has requested its removal; until the catalog does not have it any more, or with another port.',
      },
    },
  },
  make: (run: CheckedRun & Run) => new ChosenPorts(run),
  takes: {
    'registration began': (it, { change }) => it.began(change),
    'node listed': (it, { node, rows }) => it.listed(node, rows),
  },
})
