import { checksOfNode, servicesOfNode } from '../../../src/features/catalog/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { type AgentNames, agentNames } from '../pool/agent-names.ts'
import { type RegistrationChange, rowsOf } from './registration-facts.ts'

/** Reads from the replicated state how commands changed the nodes whose agents clients ask for changes. */
class CatalogRows {
  readonly #run: CheckedRun
  readonly #names: AgentNames
  /** Machines of agents, and names of nodes without one. */
  readonly #nodes = new Set<string>()

  constructor(run: CheckedRun, names: AgentNames) {
    this.#run = run
    this.#names = names
  }

  /** The node of the agent, and those that its alias checks look at. */
  follow({ node, aliases }: RegistrationChange): void {
    this.#nodes.add(node)
    for (const { target } of aliases) if (target !== undefined && target.node !== '') this.#nodes.add(target.node)
  }

  tookEffect({ command: { kind, body }, tx }: Facts['command took effect']): void {
    if (this.#nodes.size === 0 || !kind.startsWith('catalog.')) return
    const { node } = body as { readonly node: string | { readonly node: string } }
    this.#tell(this.#names.nodeOf(typeof node === 'string' ? node : node.node), tx, false)
  }

  replaced({ tx }: Facts['state replaced']): void {
    for (const node of this.#nodes) this.#tell(node, tx, true)
  }

  #tell(node: string, tx: ReadTransaction, isRestored: boolean): void {
    if (!this.#nodes.has(node)) return
    const name = this.#names.nameOf(node)
    const rows = rowsOf(servicesOfNode(tx, name), checksOfNode(tx, name))
    this.#run.tell('node listed', { node, rows, isRestored })
  }
}

export const catalogRows = checker({
  codes: {},
  make: (run) => new CatalogRows(run, run.of(agentNames)),
  takes: {
    'registration began': (it, { change }) => it.follow(change),
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})
