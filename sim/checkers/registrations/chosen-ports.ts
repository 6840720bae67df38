import { type CheckedRun, checker, type Judge } from '../checker.ts'
import type { NodeRows } from './registration-facts.ts'

/** The range from which agents take ports of sidecars, unless their settings say otherwise. */
const portMin = 21_000
const portMax = 21_255

type Run = Judge<{ E12: never }>

/**
 * E12. An agent gives each sidecar a port of its own from its range: two proxies on one port would mean that one of them
 * cannot listen, and that connections reach the wrong service.
 */
export class ChosenPorts {
  readonly #run: Run
  /** The last ports, by node and service. */
  readonly #known = new Map<string, number>()

  constructor(run: Run) {
    this.#run = run
  }

  listed(node: string, { proxyPorts }: NodeRows): void {
    const byPort = new Map<number, string>()
    for (const [id, port] of proxyPorts) {
      const other = byPort.get(port)
      byPort.set(port, id)
      const isNew = this.#known.get(`${node}/${id}`) !== port
      this.#known.set(`${node}/${id}`, port)
      if (isNew) this.#run.judged('E12')
      if (other !== undefined) this.#report(`${id} and ${other} of ${node} have the same port ${port}`)
      else if (port < portMin || port > portMax) this.#report(`${id} of ${node} has port ${port}`)
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
    },
  },
  make: (run: CheckedRun & Run) => new ChosenPorts(run),
  takes: {
    'node listed': (it, { node, rows }) => it.listed(node, rows),
  },
})
