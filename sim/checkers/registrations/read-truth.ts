import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { checker, type Judge } from '../checker.ts'

/** An instance of a service, as its agent holds it. */
export interface HeldInstance {
  readonly node: string
  readonly id: string
  readonly port: number
  readonly tags: readonly string[]
  readonly nodeMeta: readonly (readonly [key: string, value: string])[]
  /** Of its checks and of those of its node, the membership check excepted, which passes. */
  readonly statuses: readonly string[]
}

/** A way to ask for the instances of a service. */
export interface AskedFor {
  readonly face: 'health' | 'catalog' | 'dns'
  readonly passing?: boolean
  readonly tag?: string
  readonly nodeMeta?: readonly [key: string, value: string]
  /** Further parameters that change nothing of which instances there are: near=_agent, cached. */
  readonly how?: string
}

/**
 * What must be told: `node/id:port`, in order; over DNS `node:port`. Written apart from the program: an instance is told if it
 * has the tag, its node the pair, and its health is asked for in no way that excludes it.
 */
export function toldOf(held: readonly HeldInstance[], asked: AskedFor): string {
  const told = held.filter(({ tags, nodeMeta, statuses }) => {
    if (asked.tag !== undefined && !tags.includes(asked.tag)) return false
    const [key, value] = asked.nodeMeta ?? []
    if (key !== undefined && !nodeMeta.some(([name, has]) => name === key && has === value)) return false
    if (asked.passing === true) return statuses.every((status) => status === 'passing')
    return asked.face !== 'dns' || !statuses.includes('critical')
  })
  return inOrder(told.map(({ node, id, port }) => (asked.face === 'dns' ? `${node}:${port}` : `${node}/${id}:${port}`)))
}

export function inOrder(names: readonly string[]): string {
  return [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(' ')
}

/** E7. While nothing changes, every agent answers about a service, over HTTP and DNS, what the agents hold. */
export class ReadTruth {
  readonly #judge: Judge<{ E7: 'changed meanwhile' }>
  /** By node: as its settings have it. */
  readonly #metaOf = new Map<string, HeldInstance['nodeMeta']>()

  constructor(judge: Judge<{ E7: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  configured({ nodeName, nodeMeta }: Pick<AgentConfig, 'nodeName' | 'nodeMeta'>): void {
    this.#metaOf.set(nodeName, Object.entries(nodeMeta))
  }

  metaOf(node: string): HeldInstance['nodeMeta'] {
    return this.#metaOf.get(node) ?? []
  }

  changed(): void {
    this.#judge.excused('E7', 'changed meanwhile')
  }

  /** `what`: the question, and the agent that was asked. */
  compared(what: string, expected: string, told: string): void {
    this.#judge.judged('E7')
    if (told === expected) return
    this.#judge.report(
      'E7',
      `${what} is answered with ${told || 'nothing'}, and the agents hold ${expected || 'nothing'}`,
    )
  }
}

export const readTruth = checker({
  codes: {
    E7: {
      text: 'truth: while nothing changes, what every agent answers about a service, over HTTP and DNS, is what the agents hold',
      sources: ['docs/reference/health.md#endpoints'],
      judges: ['answer compared', 'answers compared'],
      excuses: {
        'changed meanwhile':
          'What the agents hold changed, or one of them reached no leader, while the question was asked; that answer.',
      },
    },
  },
  make: (judge) => new ReadTruth(judge),
  takes: { 'settings read': (it, { config }) => it.configured(config) },
})
