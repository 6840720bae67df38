/** What agents hold of one service, as their own processes have it: the truth that every answer is compared with. */

export interface HeldCheck {
  readonly id: string
  readonly status: string
}

export interface HeldNode {
  readonly name: string
  readonly isServer: boolean
  readonly address: string
  readonly meta: readonly (readonly [key: string, value: string])[]
  /** Checks of the node itself, including the membership check. */
  readonly checks: readonly HeldCheck[]
}

/** An instance of a service in its agent's local state. */
export interface HeldInstance {
  readonly node: HeldNode
  readonly id: string
  /** Empty: the node's address applies. */
  readonly address: string
  readonly port: number
  readonly tags: readonly string[]
  readonly meta: readonly (readonly [key: string, value: string])[]
  readonly weights: { readonly passing: number; readonly warning: number }
  /** The instance itself speaks the mesh's TLS. */
  readonly inMesh: boolean
  /** Checks of this instance only. */
  readonly checks: readonly HeldCheck[]
}

/** The address to which its clients are sent. */
export function addressOf({ address, node }: HeldInstance): string {
  return address === '' ? node.address : address
}

/** The checks that determine its health. */
export function everyCheck({ checks, node }: HeldInstance): readonly HeldCheck[] {
  return [...node.checks, ...checks]
}

export function has(pairs: HeldNode['meta'], [key, value]: readonly [key: string, value: string]): boolean {
  return pairs.some(([name, held]) => name === key && held === value)
}

export function isPassing(instance: HeldInstance): boolean {
  return everyCheck(instance).every(({ status }) => status === 'passing')
}

export function isCritical(instance: HeldInstance): boolean {
  return everyCheck(instance).some(({ status }) => status === 'critical')
}

export function inOrder(texts: readonly string[], by = ' '): string {
  return [...texts].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).join(by)
}
