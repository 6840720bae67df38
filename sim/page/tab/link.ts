import type { TabCluster } from '../../play/tab-api.ts'

/** What a link to this page asks for. */
export interface TabLink {
  readonly does: TabCluster['does']
  /** Name of a scenario of the page; undefined: the cluster of a session without one. */
  readonly scenario: string | undefined
  /** Number or name of the lesson whose cluster it is. */
  readonly lesson: string | undefined
  readonly seed: number | undefined
  readonly steps: number | undefined
  readonly servers: number | undefined
  readonly clients: number | undefined
}

/** `?run=crash-and-recover&seed=17`, `?play=crash-and-recover&steps=4000`, `?play&servers=5`, `?lesson=1`. Undefined: it asks for nothing. */
export function linkIn(search: string): TabLink | undefined {
  const given = new URLSearchParams(search)
  const lesson = given.get('lesson') ?? undefined
  const does = given.has('run') ? 'run' : given.has('play') || lesson !== undefined ? 'play' : undefined
  if (does === undefined) return undefined
  const name = given.get(does) ?? ''
  const number = (key: string): number | undefined => {
    const text = given.get(key) ?? ''
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined
  }
  return {
    does,
    scenario: name === '' ? undefined : name,
    lesson,
    seed: number('seed'),
    steps: number('steps'),
    servers: number('servers'),
    clients: number('clients'),
  }
}

export function searchOf({ does, scenario = '', ...numbers }: TabLink): string {
  const entries = Object.entries(numbers).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams([[does, scenario], ...entries.map(([key, value]) => [key, String(value)])])
  return `?${search}`
}
