import { checker } from '../checker.ts'

/**
 * The name of the agent on each machine, by which other agents and the catalog know it. It is that of the machine until
 * an operator renames the agent.
 */
export class AgentNames {
  readonly #nameOf = new Map<string, string>()
  readonly #nodeOf = new Map<string, string>()

  /** A process begins on a machine, under this name. */
  began(node: string, name: string): void {
    this.#nameOf.set(node, name)
    this.#nodeOf.set(name, node)
  }

  /** The name of the last process on this machine. */
  nameOf(node: string): string {
    return this.#nameOf.get(node) ?? node
  }

  /** The machine of the last process under this name. */
  nodeOf(name: string): string {
    return this.#nodeOf.get(name) ?? name
  }
}

export const agentNames = checker({
  codes: {},
  make: () => new AgentNames(),
  takes: { 'process began': (it, { node, name }) => it.began(node, name ?? node) },
})
