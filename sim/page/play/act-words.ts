import type { PlayAgent, PlayDeed, PlayStatus } from '../../play/play-api.ts'

/** An entry of the menu of a node. */
export interface MenuEntry {
  readonly label: string
  readonly deed: PlayDeed
}

/** The possible acts on a process in its present state. */
export function lifeEntries({ name, is }: Pick<PlayAgent, 'name' | 'is'>): readonly MenuEntry[] {
  const entry = (label: string, action: string): MenuEntry => ({ label, deed: { fault: { [action]: name } } })
  if (is === 'down') return [entry('start', 'restart')]
  return [
    is === 'paused' ? entry('resume', 'resume') : entry('pause', 'pause'),
    entry('restart', 'restart'),
    entry('stop', 'stop'),
    entry('kill', 'kill'),
    entry('crash', 'crash'),
  ]
}

/** The possible troubles of a disk, which last until all faults are ended. */
export function diskEntries(name: string): readonly MenuEntry[] {
  const slow = { nodes: name, fsync: '50ms..200ms', latency: '5ms..20ms' }
  return [
    { label: 'full', deed: { fault: { 'fill disk': name } } },
    { label: 'stalled', deed: { fault: { 'stall disk': name } } },
    { label: 'slow', deed: { fault: { 'slow disk': slow } } },
  ]
}

/** Separates each of these sides from all others; without any, heals all links. */
export function sidesDeeds(sides: readonly (readonly string[])[], wasApart: boolean): readonly PlayDeed[] {
  const heal = { fault: { heal: 'everything' } }
  const [first] = sides
  if (first === undefined) return [heal]
  const cutOff =
    sides.length === 1 ? { partition: listed(first) } : { partition: { groups: [...sides.map(listed), 'other nodes'] } }
  return wasApart ? [heal, { fault: cutOff }] : [{ fault: cutOff }]
}

/**
 * Cuts a link, or heals it. Healing applies to all links of a node, so its other cut links are cut again, at the same
 * virtual time.
 */
export function linkDeeds(one: string, other: string, cuts: PlayStatus['cuts']): readonly PlayDeed[] {
  const othersOf = (node: string): readonly string[] =>
    cuts.flatMap((ends) => (ends[0] === node ? [ends[1]] : ends[1] === node ? [ends[0]] : []))
  if (!othersOf(one).includes(other)) return [{ fault: { cut: { from: one, to: other } } }]
  const [node, mended] = othersOf(one).length <= othersOf(other).length ? [one, other] : [other, one]
  const rest = othersOf(node).filter((name) => name !== mended)
  const heal = { fault: { heal: node } }
  return rest.length === 0 ? [heal] : [heal, { fault: { cut: { from: node, to: listed(rest) } } }]
}

/** A single name stands alone, as people write it. */
function listed(names: readonly string[]): string | readonly string[] {
  return names.length === 1 ? (names[0] ?? '') : names
}

/** The words of a command line: quotes keep spaces, a backslash makes the next character literal. */
export function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  for (const [, doubled, single, bare] of line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)/g)) {
    words.push(single ?? (doubled ?? bare ?? '').replace(/\\(.)/g, '$1'))
  }
  return words
}

/** Lines to copy into a terminal: the agent's interfaces, bridged to loopback. */
export function linesFor(name: string, httpPort: number, dnsPort: number): readonly string[] {
  return [
    `curl http://127.0.0.1:${httpPort}/v1/catalog/nodes`,
    `dig @127.0.0.1 -p ${dnsPort} ${name}.node.svc`,
    `svc members -http-addr=127.0.0.1:${httpPort}`,
  ]
}
