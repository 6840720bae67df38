import { toldUnder } from '../../model/naming/told.ts'
import type { Invocation } from '../command.ts'
import { formatTable } from '../output.ts'
import { type Color, paintWords } from '../paint.ts'
import { accessControl, tokens } from './access-items.ts'
import { certificates, clocks, diskSync, meshCertificates } from './agent-items.ts'
import { drift } from './drift.ts'
import type { Facts } from './facts.ts'
import { type Item, type Light, worst } from './item.ts'
import { gossip, quorum, raftLag, versions } from './server-items.ts'

/** Everything that is checked, in the order of the report. */
export function checkCluster(facts: Facts, nowMs: number): readonly Item[] {
  return [
    quorum(facts),
    raftLag(facts),
    gossip(facts),
    versions(facts),
    drift(facts),
    clocks(facts),
    diskSync(facts),
    certificates(facts, nowMs),
    meshCertificates(facts),
    accessControl(facts),
    tokens(facts),
  ]
}

/** 1 is an error, as everywhere. */
const codes: Readonly<Record<Light, number>> = { green: 0, red: 2, yellow: 3, unknown: 4 }

export function exitCodeOf(items: readonly Item[]): number {
  return codes[worst(items)]
}

const colors = new Map<Light, Color>([
  ['green', 'green'],
  ['yellow', 'yellow'],
  ['red', 'red'],
  ['unknown', 'grey'],
])

export function checkText(facts: Facts, items: readonly Item[], { naming, terminal }: Invocation): string {
  const rows = items.map(({ item, light, says, remedy }) => {
    return [light, item, remedy === '' ? says : `${says}: ${toldUnder(naming, remedy)}`]
  })
  const counts = (['red', 'yellow', 'unknown', 'green'] as const).map((color) => {
    return `${items.filter(({ light }) => light === color).length} ${color}`
  })
  const unasked = facts.unasked.map((why) => `${why}\n`)
  return `${paintWords(terminal, formatTable(rows), colors)}${unasked.join('')}${facts.cluster.datacenter}: ${counts.join(', ')}\n`
}

export function checkJson(facts: Facts, items: readonly Item[], { naming }: Invocation): string {
  const report = {
    Datacenter: facts.cluster.datacenter,
    Light: worst(items),
    Asked: facts.asked.map(({ name }) => name),
    NotAsked: facts.unasked,
    Items: items.map(({ item, light, says, remedy }) => {
      return { Item: item, Light: light, Says: says, Remedy: toldUnder(naming, remedy) }
    }),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
