import { checker, type Judge } from '../checker.ts'
import { addressOf, everyCheck, type HeldCheck, type HeldInstance, has, inOrder, isPassing } from './held.ts'

/** A way to ask over HTTP for the instances and checks of a service. */
export type AskedFor =
  | {
      /** `health` includes checks, `catalog` does not. */
      readonly of: 'health' | 'catalog'
      /** Only instances that the mesh reaches; tags have no effect then. */
      readonly connect: boolean
      readonly passing?: boolean
      readonly tag?: string
      readonly nodeMeta?: readonly [key: string, value: string]
    }
  /** The tags of all instances of the service, from the list of all services. */
  | { readonly of: 'services'; readonly nodeMeta?: readonly [key: string, value: string] }
  /** Checks of all instances of the service. */
  | { readonly of: 'checks'; readonly nodeMeta?: readonly [key: string, value: string] }
  /** Checks in one state, of the service and of the nodes that it runs on. */
  | { readonly of: 'state'; readonly status: string; readonly nodeMeta?: readonly [key: string, value: string] }
  /** The services or checks of one node. */
  | { readonly of: 'node services' | 'node checks' | 'agent services' | 'agent checks'; readonly node: string }

/** An instance of an answer, as it is or as it must be. */
export interface ToldInstance {
  readonly node: string
  readonly nodeAddress: string
  readonly id: string
  /** Its own address; empty: it has none. */
  readonly own: string
  readonly port: number
  readonly tags: readonly string[]
  readonly meta: readonly (readonly [key: string, value: string])[]
  readonly weights: { readonly passing: number; readonly warning: number }
}

export function instanceText({ node, nodeAddress, id, own, port, tags, meta, weights }: ToldInstance): string {
  const pairs = inOrder(meta.map((pair) => pair.join('=')))
  return `${node}/${id} at ${own}:${port} on ${nodeAddress} [${tags.join(' ')}] {${pairs}} ${weights.passing}/${weights.warning}`
}

/** `address`: where the answer sends clients. */
export function healthText(instance: ToldInstance, address: string, checks: readonly HeldCheck[]): string {
  return `${instanceText(instance)} to ${address} (${inOrder(checks.map(({ id, status }) => `${id}=${status}`))})`
}

/** The service in the list of all services: its tags, each once; empty if the list lacks the service. */
export function serviceText(tagsOfEach: readonly (readonly string[])[]): string {
  return tagsOfEach.length === 0 ? '' : `listed with [${inOrder([...new Set(tagsOfEach.flat())])}]`
}

export function checkText(node: string, { id, status }: HeldCheck): string {
  return `${node}/${id}=${status}`
}

/**
 * The correct answer, in order. Written independently of the program: an instance is in the answer if it has the tag,
 * its node has the metadata pair, and the requested health does not exclude it. The answer then has everything that the
 * instance's agent has of it.
 */
export function toldOf(held: readonly HeldInstance[], asked: AskedFor): string {
  switch (asked.of) {
    case 'health':
    case 'catalog':
      return inOrder(
        held.filter((each) => isAsked(each, asked)).map((each) => wordOf(each, asked.of)),
        ', ',
      )
    case 'services':
      return serviceText(ofNodesWith(held, asked.nodeMeta).map(({ tags }) => tags))
    case 'checks':
      return inOrder(
        ofNodesWith(held, asked.nodeMeta).flatMap((each) => textsOf(each, each.checks)),
        ', ',
      )
    case 'state': {
      const texts = ofNodesWith(held, asked.nodeMeta).flatMap((each) =>
        textsOf(
          each,
          everyCheck(each).filter(({ status }) => asked.status === 'any' || status === asked.status),
        ),
      )
      return inOrder([...new Set(texts)], ', ')
    }
    case 'node services':
    case 'agent services':
      return inOrder(
        onNode(held, asked.node).map((each) => wordOf(each, 'catalog')),
        ', ',
      )
    case 'node checks': {
      const texts = onNode(held, asked.node).flatMap((each) => textsOf(each, everyCheck(each)))
      return inOrder([...new Set(texts)], ', ')
    }
    case 'agent checks':
      return inOrder(
        onNode(held, asked.node).flatMap((each) => textsOf(each, each.checks)),
        ', ',
      )
  }
}

function isAsked(
  each: HeldInstance,
  { connect, passing, tag, nodeMeta }: Extract<AskedFor, { readonly connect: boolean }>,
): boolean {
  if (connect ? !each.inMesh : tag !== undefined && !each.tags.includes(tag)) return false
  if (nodeMeta !== undefined && !has(each.node.meta, nodeMeta)) return false
  return passing !== true || isPassing(each)
}

function wordOf(each: HeldInstance, of: 'health' | 'catalog'): string {
  return of === 'catalog' ? instanceText(toldInstance(each)) : heldHealthText(each)
}

/** The text of an instance with its health. */
export function heldHealthText(each: HeldInstance): string {
  return healthText(toldInstance(each), addressOf(each), everyCheck(each))
}

function toldInstance({ node, id, address: own, port, tags, meta, weights }: HeldInstance): ToldInstance {
  return { node: node.name, nodeAddress: node.address, id, own, port, tags, meta, weights }
}

function ofNodesWith(held: readonly HeldInstance[], pair: readonly [string, string] | undefined) {
  return pair === undefined ? held : held.filter(({ node }) => has(node.meta, pair))
}

function onNode(held: readonly HeldInstance[], name: string): readonly HeldInstance[] {
  return held.filter(({ node }) => node.name === name)
}

function textsOf({ node }: HeldInstance, checks: readonly HeldCheck[]): readonly string[] {
  return checks.map((check) => checkText(node.name, check))
}

/** E7. While nothing changes, every agent answers about a service over HTTP what the agents have. */
export class ReadTruth {
  readonly #judge: Judge<{ E7: 'changed meanwhile' }>

  constructor(judge: Judge<{ E7: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  changed(): void {
    this.#judge.excused('E7', 'changed meanwhile')
  }

  /** `what`: the question, and the asked agent. `fault`: what is wrong with the answer; undefined: nothing. */
  compared(what: string, fault: string | undefined): void {
    this.#judge.judged('E7')
    if (fault !== undefined) this.#judge.report('E7', `${what} ${fault}`)
  }
}

/** How an answer differs from the expected one; undefined: it does not. */
export function differenceOf(expected: string, told: string): string | undefined {
  if (told === expected) return undefined
  return `is answered with ${told || 'nothing'}, and the agents have ${expected || 'nothing'}`
}

export const readTruth = checker({
  codes: {
    E7: {
      text: 'truth: while nothing changes, every HTTP answer about a service is exactly what the agents hold',
      sources: ['docs/reference/health.md#endpoints'],
      evidence: ['requests', 'catalog', 'forwards'],
      judges: ['answer compared', 'answers compared'],
      excuses: {
        'changed meanwhile':
          'What the agents hold changed, or one of them reached no leader, while the question was asked; that answer.',
      },
    },
  },
  make: (judge) => new ReadTruth(judge),
})
