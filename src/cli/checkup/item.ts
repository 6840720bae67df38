import type { Finding } from '../upgrade-findings.ts'

/** `unknown`: the agents that were asked do not report what the item needs. */
export type Light = 'green' | 'yellow' | 'red' | 'unknown'

/** One thing that was checked. */
export interface Item {
  /** For programs; never changes. */
  readonly item: string
  readonly light: Light
  /** What was found, and what it means. */
  readonly says: string
  /** What to do; empty where nothing has to be done. */
  readonly remedy: string
}

export function green(item: string, says: string): Item {
  return { item, light: 'green', says, remedy: '' }
}

export function light(item: string, color: Exclude<Light, 'green'>, says: string, remedy: string): Item {
  return { item, light: color, says, remedy }
}

/** One item of several findings: the first of them says what to do. */
export function found(item: string, color: Exclude<Light, 'green'>, findings: readonly Finding[]): Item {
  return light(item, color, findings.map(({ what }) => what).join('; '), findings[0]?.remedy ?? '')
}

const order: readonly Light[] = ['red', 'yellow', 'unknown', 'green']

/** The light of a whole check: the worst of its items. */
export function worst(items: readonly Item[]): Light {
  return order.find((color) => items.some((each) => each.light === color)) ?? 'green'
}
