import { ApiClient } from '../api/client.ts'
import type { Invocation } from '../command.ts'
import type { Question } from './acl-explanation.ts'

/** A right that a command needs. */
export interface Need extends Question {
  /** The right is needed for all names with this prefix. */
  readonly prefix?: true
}

/** A server's answers about needed rights. */
export interface Standing {
  /** Whether access control is on, and a server could say what the token may do. */
  readonly isOn: boolean
  /** The rules that the token lacks, as they are written in a policy. */
  readonly missing: readonly string[]
}

/** If no server can answer, nothing is known to be missing: then the request itself is refused. */
export async function standingOf(invocation: Invocation, needs: readonly Need[]): Promise<Standing> {
  const { explain } = await import('./acl-explanation.ts')
  const told = await Promise.all(needs.map(async (need) => ({ need, said: await explain(invocation, need, '') })))
  return {
    isOn: told.some(({ said }) => said.ok),
    missing: told.flatMap(({ need, said }) => (said.ok && !said.value.Allowed ? ruleText(need) : [])),
  }
}

/** `key_prefix "app/" { policy = "write" }`. */
function ruleText({ resource, name, right, prefix }: Need): string {
  return `${resource}${prefix === true ? '_prefix' : ''} ${JSON.stringify(name)} { policy = "${right}" }`
}

/**
 * After an empty answer: says on standard error which rules the token lacks to see any such thing, if it lacks some.
 * Agents leave out what a token may not read, so such an answer looks like one of a cluster that has nothing.
 */
export async function warnOfNoSight(invocation: Invocation, what: string, needs: readonly Need[]): Promise<void> {
  const { missing } = await standingOf(invocation, needs)
  if (missing.length === 0) return
  invocation.terminal.error(`The token may see no ${what}: it lacks ${missing.join(' and ')}\n`)
}

/** Rights to see nodes, services or keys: all of them, or those with a name or prefix. */
export const sightOf = {
  nodes: (): Need => ({ resource: 'node', name: '', right: 'read', prefix: true }),
  service: (name: string): Need => ({ resource: 'service', name, right: 'read' }),
  services: (): Need => ({ resource: 'service', name: '', right: 'read', prefix: true }),
  keys: (name: string): Need => ({ resource: 'key', name, right: 'read', prefix: true }),
} as const

/** The name of the node whose agent is asked; undefined: the token may not read it. */
export async function ownNode(invocation: Invocation): Promise<string | undefined> {
  const self = await new ApiClient(invocation).expect('GET', '/v1/agent/self')
  if (!self.ok) return undefined
  const { readOwnName } = await import('../api/answers.ts')
  return readOwnName(self.value)?.node
}
