import { isRecord } from '../../src/base/shape.ts'
import { type StatePart, withChanges } from './state-changes.ts'
import { type StoryLineKind, storyLines } from './story-lines.ts'
import type { TraceRecord } from './trace-record.ts'

const logged: readonly (readonly [RegExp, StoryLineKind])[] = [
  [/^\[INFO\] agent: Synced service .*?id="?([^" ]+)/, 'synced'],
  [/^\[INFO\] autopilot: changed the Raft configuration change=(.+?) id=/, 'autopilot'],
]

/** Reports what a teacher would about a run: elections, suspicions, configurations, modes, rotations. */
export class FullStory {
  readonly #tell: (atUs: number, text: string) => void
  readonly #states = new Map<string, StatePart>()
  /**
   * By datacenter and member, the status that some agent last reported: only the first agent with another opinion makes
   * a line.
   */
  readonly #beliefs = new Map<string, string>()
  /** By datacenter, the configuration and state that leaders have replicated. */
  readonly #replicated = new Map<string, StatePart>()

  constructor(tell: (atUs: number, text: string) => void) {
    this.#tell = tell
  }

  /** Takes the events of a trace whose records report states, in their order. */
  add(event: TraceRecord): void {
    if (event.kind === 'log') this.#logged(event.t, event.node, event.text)
    if (event.state === undefined) return
    const before = this.#states.get(event.node) ?? {}
    const after = withChanges(before, event.state)
    this.#states.set(event.node, after)
    if (event.state['consensus'] !== undefined) this.#consensus(event.t, event.node, before, after)
    if (event.state['pools'] !== undefined) this.#pools(event.t, event.node, event.state['pools'], after)
    if (part(after, 'consensus')['role'] === 'leader') this.#leads(event.t, after)
  }

  #say(t: number, kind: StoryLineKind, subject: string, object = ''): void {
    this.#tell(t, storyLines[kind].text(subject, object))
  }

  #logged(t: number, node: string, text: string): void {
    for (const [pattern, kind] of logged) {
      const found = pattern.exec(text)
      if (found !== null) this.#say(t, kind, node, found[1])
    }
  }

  #consensus(t: number, node: string, before: StatePart, after: StatePart): void {
    const [was, is] = [part(before, 'consensus'), part(after, 'consensus')]
    const term = String(is['term'] ?? '')
    const isNew = was['role'] !== is['role'] || was['term'] !== is['term']
    if (isNew && is['role'] === 'pre-candidate') this.#say(t, 'asks', node, String(Number(term) + 1))
    else if (isNew && is['role'] === 'candidate') this.#say(t, 'stands', node, term)
    else if (isNew && is['role'] === 'leader') this.#say(t, 'leads', node, term)
    else if (was['role'] === 'leader' && is['role'] !== 'leader' && is['role'] !== undefined)
      this.#say(t, 'steps down', node)
    const vote = is['votedFor']
    const hasVoted = vote !== was['votedFor'] || was['term'] !== is['term']
    if (typeof vote === 'string' && vote !== node && hasVoted) this.#say(t, 'votes', node, `${vote} in term ${term}`)
    if (is['role'] === 'leader') this.#configuration(t, part(was, 'configuration'), part(is, 'configuration'))
  }

  /** The first report changes nothing, because nothing was known before. */
  #configuration(t: number, was: StatePart, is: StatePart): void {
    if (Object.keys(was).length === 0) return
    const suffrage = (of: unknown): string => String(of ?? '').split(' ')[0] ?? ''
    for (const server of new Set([...Object.keys(was), ...Object.keys(is)])) {
      const now = suffrage(is[server])
      if (now === suffrage(was[server])) continue
      if (now === '') this.#say(t, 'removed', server)
      else this.#say(t, 'configured', server, now)
    }
  }

  #pools(t: number, node: string, pools: unknown, after: StatePart): void {
    const changed = part(part(isRecord(pools) ? pools : {}, 'lan'), 'members')
    for (const [member, change] of Object.entries(changed)) {
      if (member === node) continue
      const status = change === null ? 'forgotten' : isRecord(change) ? change['status'] : undefined
      const key = `${String(after['datacenter'])} ${member}`
      const known = this.#beliefs.get(key)
      if (typeof status !== 'string' || status === known) continue
      this.#beliefs.set(key, status)
      if (status === 'alive') this.#say(t, known === 'suspect' ? 'refuted' : 'joined', member, node)
      else if (status === 'suspect') this.#say(t, 'suspected', member, node)
      else if (status === 'failed') this.#say(t, 'failed', member, node)
      else if (status === 'left') this.#say(t, 'left', member, node)
      else if (status === 'forgotten') this.#say(t, 'forgotten', member, node)
    }
  }

  #leads(t: number, state: StatePart): void {
    const { datacenter, replicated } = state
    if (!isRecord(replicated)) return
    const of = String(datacenter)
    const was = this.#replicated.get(of)
    this.#replicated.set(of, replicated)
    const mode = part(replicated, 'access')['mode']
    if (mode === 'new' && was !== undefined && part(was, 'access')['mode'] !== 'new') this.#say(t, 'new mode', of)
    const [meshWas, mesh] = [part(was ?? {}, 'mesh'), part(replicated, 'mesh')]
    const step = mesh['rotation']
    if (typeof step === 'string' && step !== meshWas['rotation']) this.#say(t, 'rotation', of, step)
    this.#roots(t, texts(meshWas['roots']), texts(mesh['roots']))
    this.#locks(t, texts(was?.['locks']), texts(replicated['locks']))
  }

  /** The active root is marked. */
  #roots(t: number, was: readonly string[], is: readonly string[]): void {
    const [known, listed] = [was, is].map((roots) => new Set(roots.map(withoutMark)))
    for (const root of is) {
      const name = withoutMark(root)
      if (known?.has(name) !== true) this.#say(t, 'root', name)
      if (root !== name && !was.includes(root)) this.#say(t, 'root active', name)
    }
    for (const name of known ?? []) if (listed?.has(name) !== true) this.#say(t, 'root gone', name)
  }

  #locks(t: number, was: readonly string[], is: readonly string[]): void {
    for (const lock of is) if (!was.includes(lock)) this.#say(t, 'locked', lock)
    for (const lock of was) if (!is.includes(lock)) this.#say(t, 'unlocked', lock)
  }
}

function withoutMark(text: string): string {
  return text.replace(' (active)', '')
}

function part(of: StatePart, name: string): StatePart {
  const value = of[name]
  return isRecord(value) ? value : {}
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : []
}
